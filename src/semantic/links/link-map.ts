import { anchorKey, foldPath, isIndexPath, type Link, type LinkLookup, type LinkResolution, resolveLink } from '#document';
import { createRecordLookup } from '../records/record-lookup.ts';
import type { LinkedDocument } from './linked-document.ts';

/** Every document of a vault as links see them: by path, by name, and by what they may be mistaken for. */
export interface LinkMap extends LinkLookup {
  readonly documents: ReadonlyMap<string, LinkedDocument>;
  resolve(link: Link, from: string): LinkResolution;
  /** Documents whose path is this one but for letter case or Unicode form. */
  twins(path: string): readonly string[];
  /** Documents that have a name with the same letters and digits: `true a wheel` and `true-a-wheel`. */
  alike(name: string): readonly string[];
}

/** Builds the map; names mean what they mean to the semantic records (readings: following links). */
export const createLinkMap = (documents: Iterable<LinkedDocument>): LinkMap => {
  const byPath = new Map<string, LinkedDocument>();
  const folded = new Map<string, string[]>();
  const letters = new Map<string, string[]>();
  for (const document of documents) {
    const { path, handle, slug, aliases, title } = document;
    byPath.set(path, document);
    add(folded, foldPath(path), path);
    if (isIndexPath(path)) continue;
    for (const name of [handle, slug, title, ...aliases]) if (name !== null) add(letters, anchorKey(name), path);
  }
  const lookup = createRecordLookup([...byPath.values()].map(each => ({ ...each, title: each.title ?? each.handle })));
  return {
    ...lookup,
    documents: byPath,
    resolve: (link, from) => resolveLink(link, from, lookup),
    twins: path => folded.get(foldPath(path)) ?? [],
    alike: name => [...new Set(letters.get(anchorKey(name)) ?? [])],
  };
};

const add = (map: Map<string, string[]>, key: string, path: string): void => {
  const known = map.get(key);
  if (known === undefined) map.set(key, [path]);
  else known.push(path);
};
