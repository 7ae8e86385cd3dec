/** What rendering must leave as it is (§11.9): whatever identifies, classifies, permits, locates or relates. */
export interface InvariantControl {
  readonly path: string;
  /** `sha256:<hex>` of the bytes that are rendered. */
  readonly content_hash: string;
  /** Qualified; null for Markdown of no known type. */
  readonly primitive_type: string | null;
  /** Every frontmatter key except `title` and `description`, with its value. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the body's links, images and addresses lead to; their labels may be rendered. */
  readonly links: readonly string[];
  /** Code and comments of the body, as they stand there. */
  readonly code: readonly string[];
  /** The headings of an append-only body's records. */
  readonly records: readonly string[];
}

/** How a workspace presents itself in one language (§11.7); data, never translated keys. */
export interface RenderConvention {
  readonly language: string;
  readonly locale: string;
  readonly formality: 'formal' | 'informal' | 'neutral';
  /** Which word is written, and those it takes the place of. */
  readonly terminology: readonly { readonly write: string; readonly instead_of: readonly string[] }[];
}

/** One document to be presented in a language. */
export interface RenderRequest {
  /** BCP 47. */
  readonly language: string;
  /** The language it is written in, as far as it says. */
  readonly source_language: string | null;
  /** The only parts that may change. `null` where the document has none. */
  readonly text: { readonly title: string | null; readonly description: string | null; readonly body: string };
  readonly convention: RenderConvention | null;
  readonly control: InvariantControl;
}

/** Parts that were rendered; absent ones stay as they are. Any other member is refused. */
export interface RenderReply {
  readonly title?: string;
  readonly description?: string;
  readonly body?: string;
}

/**
 * Presents documents in another language when they are shown (§11.9), typically with a language model. Nothing that it makes is ever stored. What it
 * answers is checked against the control block, so it need not be trusted; the text it gets leaves the host if it sends it away.
 */
export interface Renderer {
  /** Named in answers. */
  readonly id: string;
  /** A `RenderReply`. Rejects with an Error when it cannot render. */
  render(request: RenderRequest, options: { readonly signal?: AbortSignal }): Promise<unknown>;
}
