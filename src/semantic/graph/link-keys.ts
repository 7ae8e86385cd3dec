import { resolveLink } from '#document';
import { asLink, type RawLink } from '../records/raw-links.ts';
import { type DocumentName, nameKey, relationPaths } from '../records/record-lookup.ts';

/**
 * Every key under which some document might answer to an edge: `path:` with a whole path, `name:` with a folded name, `id:` with a `semantic_id`. A
 * superset of what following the edge looks at, so that the edges that may lead to a document are found by its own keys.
 */
export const linkKeys = (edge: RawLink, from: string): readonly string[] => {
  const keys = new Set<string>();
  const lookup = {
    exists: (path: string) => {
      keys.add(`path:${path}`);
      return false;
    },
    named: (name: string) => {
      keys.add(`name:${nameKey(name)}`);
      return [];
    },
  };
  resolveLink(asLink(edge), from, lookup);
  if (edge.kind === 'relation') {
    for (const path of relationPaths(edge.target)) lookup.exists(path);
    keys.add(`id:${edge.target}`);
  }
  return [...keys];
};

/** The keys a document answers to. */
export const keysOfNode = (
  node: { readonly path: string; readonly semantic_id: string | null },
  names: readonly Pick<DocumentName, 'key'>[],
): readonly string[] => [
  `path:${node.path}`,
  ...names.map(({ key }) => `name:${key}`),
  ...(node.semantic_id === null ? [] : [`id:${node.semantic_id}`]),
];
