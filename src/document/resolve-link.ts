import type { Link } from './link.ts';

/** What a vault answers about its documents. */
export interface LinkLookup {
  exists(path: string): boolean;
  /** Paths of the documents a bare name may mean: by slug, file name or alias. */
  named(name: string): readonly string[];
}

export type LinkResolution =
  | { readonly kind: 'resolved'; readonly path: string }
  /** More than one document fits; nobody may choose for the author. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly string[] }
  | { readonly kind: 'unresolved' };

/**
 * The document a link in the document at `from` leads to (§4.3). `/a/b.md` counts from the vault's root and `./b.md`, `../b.md`
 * and every Markdown link from the document's folder; a wiki link with folders counts from either; a bare name is looked
 * up. Several candidates stay ambiguous, so that a rename never rewrites a link its author meant otherwise.
 *
 * @example resolveLink(link, 'rules/a.md', { exists: path => paths.has(path), named: name => bySlug.get(name) ?? [] })
 */
export const resolveLink = (link: Link, from: string, lookup: LinkLookup): LinkResolution => {
  const candidates = [...new Set(candidatePaths(link, from, lookup))].sort();
  const [path] = candidates;
  if (path === undefined) return { kind: 'unresolved' };
  return candidates.length === 1 ? { kind: 'resolved', path } : { kind: 'ambiguous', candidates };
};

const candidatePaths = (link: Link, from: string, lookup: LinkLookup): readonly string[] => {
  const { target } = link;
  const bare = link.kind === 'wiki' && !target.includes('/') && !target.endsWith('.md');
  if (bare) return lookup.named(target);
  const folder = from.split('/').slice(0, -1);
  const bases = target.startsWith('/') ? [[]] : link.kind === 'markdown' || /^\.\.?\//.test(target) ? [folder] : [[], folder];
  return bases
    .map(base => join(base, target))
    .filter(path => path !== null)
    .map(path => (path.endsWith('.md') ? path : `${path}.md`))
    .filter(path => lookup.exists(path));
};

/** The path with its dots resolved, or null when it leaves the vault. */
const join = (base: readonly string[], target: string): string | null => {
  const segments = [...base];
  for (const segment of target.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return null;
  }
  return segments.join('/');
};
