import { foldPath, isIndexPath, type LinkLookup, type LinkResolution, resolveLink, withFewMarks } from '#document';
import type { DocumentFacts } from './document-facts.ts';
import { asLink, type RawLink } from './raw-links.ts';

/** What a vault answers about its documents when an edge is followed. */
export interface RecordLookup extends LinkLookup {
  /** Paths of the documents with this `semantic_id`. */
  identified(semanticId: string): readonly string[];
}

/** A name that a document answers to, folded; a lower tier is asked first, and the first that knows the name decides. */
export interface DocumentName {
  readonly key: string;
  readonly tier: 0 | 1 | 2 | 3;
}

/** Tier 0: file name (the folder's for a fixed file name) and slug; 1: aliases; 2: title; 3: `semantic_id` (readings: following links). */
export const namesOf = (
  facts: Pick<DocumentFacts, 'path' | 'handle' | 'slug' | 'aliases' | 'title' | 'semanticId'>,
): readonly DocumentName[] => {
  // A vault has an index in every directory, and nobody means one of them by its bare name.
  if (isIndexPath(facts.path)) return [];
  const names: DocumentName[] = [];
  const add = (name: string | null, tier: DocumentName['tier']): void => {
    const key = name === null ? '' : nameKey(name);
    if (key !== '' && !names.some(known => known.key === key)) names.push({ key, tier });
  };
  add(facts.handle, 0);
  add(facts.slug, 0);
  for (const alias of facts.aliases) add(alias, 1);
  add(facts.title, 2);
  add(facts.semanticId, 3);
  return names;
};

/** The form in which a bare name is looked up: case and Unicode form do not count. */
export const nameKey = (name: string): string => foldPath(withFewMarks(name.trim())).replace(/\.md$/, '');

/** Where an edge leads. A relation is a path from the root or a `semantic_id`; links are read by `resolveLink`. */
export const resolveEdge = (edge: RawLink, from: string, lookup: RecordLookup): LinkResolution => {
  if (edge.kind !== 'relation') return resolveLink(asLink(edge), from, lookup);
  const path = relationPaths(edge.target).find(candidate => lookup.exists(candidate));
  if (path !== undefined) return { kind: 'resolved', path };
  const identified = [...new Set(lookup.identified(edge.target))].sort();
  const [only] = identified;
  if (identified.length > 1) return { kind: 'ambiguous', candidates: identified };
  return only === undefined ? resolveLink(asLink(edge), from, lookup) : { kind: 'resolved', path: only };
};

/** The paths a relation may mean. */
export const relationPaths = (target: string): readonly string[] => {
  const path = target.replace(/^\/+/, '');
  return path.endsWith('.md') ? [path] : [`${path}.md`];
};

/** A lookup over facts that are all at hand. */
export const createRecordLookup = (documents: Iterable<Parameters<typeof namesOf>[0]>): RecordLookup => {
  const paths = new Set<string>();
  const named = new Map<string, { tier: number; paths: string[] }>();
  const identified = new Map<string, string[]>();
  for (const facts of documents) {
    paths.add(facts.path);
    if (facts.semanticId !== null) {
      const known = identified.get(facts.semanticId);
      if (known === undefined) identified.set(facts.semanticId, [facts.path]);
      else known.push(facts.path);
    }
    for (const { key, tier } of namesOf(facts)) {
      const known = named.get(key);
      if (known === undefined || tier < known.tier) named.set(key, { tier, paths: [facts.path] });
      else if (tier === known.tier) known.paths.push(facts.path);
    }
  }
  return {
    exists: path => paths.has(path),
    named: name => named.get(nameKey(name))?.paths ?? [],
    identified: id => identified.get(id) ?? [],
  };
};
