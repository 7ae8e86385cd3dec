/** A JSON Schema, or any part of an OpenAPI document. */
export interface OpenApiPart {
  readonly [member: string]: unknown;
}

/** One operation of the document, as the reference page lists it. */
export interface OpenApiOperation extends OpenApiPart {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly OpenApiPart[];
  readonly responses: Readonly<Record<string, OpenApiPart>>;
}

export interface OpenApiDocument extends OpenApiPart {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}
