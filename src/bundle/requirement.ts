import { type Document, type FrontmatterMap, hasKey, isMap, parseDocument, patchDocument, type Value } from '#document';
import type { Definition } from '#registry';

/** What stands in a bound field of a document that was reduced to what it needs (§5.5). */
export const requirement = 'REQUIREMENT';

/** The bound fields of a document that hold something. */
export const boundFields = (definition: Definition, data: FrontmatterMap): readonly string[] =>
  (definition.resource?.binds ?? []).filter(field => hasKey(data, field));

/** The texts that a document's bound fields hold, at any depth: what must not leave with a template or a sale. */
export const boundValues = (definition: Definition, data: FrontmatterMap): readonly string[] => [
  ...new Set(
    boundFields(definition, data)
      .flatMap(field => textsIn(data[field] ?? null))
      .filter(text => text.length >= shortestValue && text !== requirement),
  ),
];

/** Shorter ones occur in any text, and say nothing. */
const shortestValue = 4;

const textsIn = (value: Value): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return (value as readonly Value[]).flatMap(textsIn);
  return isMap(value) ? Object.values(value).flatMap(textsIn) : [];
};

/**
 * A document with each bound field reduced to the word that says a value is needed (§5.5); everything else keeps its bytes. Throws when its type does not
 * say which fields are bound, because nobody could know then what to strip.
 */
export const reduceToRequirement = (
  document: Document,
  definition: Definition,
): { readonly content: string; readonly stripped: readonly string[] } => {
  if (definition.resource === undefined)
    throw new Error(
      `its type '${definition.qualified}' is bound to a resource and declares no resource.binds, so nobody knows which fields to strip`,
    );
  const stripped = boundFields(definition, document.data);
  const patches: Record<string, Value> = Object.fromEntries(stripped.map(field => [field, requirement]));
  const reduced = patchDocument(document, { ...patches, x_portability: 'resource_bound' }, 'replace');
  return { content: reduced.text, stripped };
};

export const parsedDocument = (text: string): Document | null => {
  const parsed = parseDocument(text);
  return parsed.kind === 'document' ? parsed.document : null;
};
