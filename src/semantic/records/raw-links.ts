import { extractLinks, isMap, type Link, type ParsedFile, type Value } from '#document';
import type { SemanticEdge } from '../semantic-record.ts';

/** A link as a document has it, before anybody looked where it leads. */
export interface RawLink {
  readonly kind: SemanticEdge['kind'];
  /** The relation's name, or null. */
  readonly name: string | null;
  readonly target: string;
}

/**
 * Every edge that starts in a file: its `relations` in their order, then the links of its body (§11.9). A relation is a path or a `semantic_id`, alone
 * or as a map with `target` (or `path`, `id`, `to`) and a name under `relation` (or `type`, `name`); a wiki link there counts as one.
 */
export const rawLinks = (parsed: ParsedFile): readonly RawLink[] => {
  const relations = parsed.kind === 'document' ? relationsOf(parsed.document.data.relations) : [];
  const text = parsed.kind === 'document' ? parsed.document.text : parsed.text;
  const links = parsed.kind === 'invalid' ? [] : extractLinks(text);
  const seen = new Set<string>();
  return [...relations, ...links.map(linkEdge)].filter(({ kind, name, target }) => {
    const key = JSON.stringify([kind, name, target]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
};

const linkEdge = ({ kind, target }: Link): RawLink => ({ kind, name: null, target });

const relationsOf = (value: Value | undefined): readonly RawLink[] => {
  const entries = Array.isArray(value) ? (value as readonly Value[]) : value === undefined ? [] : [value];
  return entries.flatMap(entry => {
    const map = isMap(entry) ? entry : {};
    const target = typeof entry === 'string' ? entry : firstText(map.target, map.path, map.id, map.to);
    if (target === null || target.trim() === '') return [];
    const name = firstText(map.relation, map.type, map.name);
    return [{ kind: 'relation', name, target: unwrapped(target.trim()) }];
  });
};

const firstText = (...values: readonly (Value | undefined)[]): string | null =>
  values.find((value): value is string => typeof value === 'string') ?? null;

const unwrapped = (target: string): string => /^\[\[([^[\]|#]+)(?:[#|][^[\]]*)?\]\]$/.exec(target)?.[1]?.trim() ?? target;

/** The link as `resolveLink` takes it; only kind and target decide where it leads. */
export const asLink = ({ kind, target }: RawLink): Link => ({
  kind: kind === 'markdown' ? 'markdown' : 'wiki',
  target,
  anchor: null,
  label: null,
  start: 0,
  end: 0,
  targetStart: 0,
  targetEnd: 0,
  line: 1,
});
