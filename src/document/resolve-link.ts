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

const candidatePaths = (link: Link, from: string, lookup: LinkLookup): readonly string[] =>
  isBareName(link) ? lookup.named(link.target) : linkPaths(link, from).filter(path => lookup.exists(path));

const isBareName = ({ kind, target }: Link): boolean => kind === 'wiki' && !target.includes('/') && !target.endsWith('.md');

/** The vault paths that a link in the document at `from` may mean, whether or not anything is there; none for a bare name and beyond the vault. */
export const linkPaths = (link: Link, from: string): readonly string[] => {
  if (isBareName(link)) return [];
  const { target } = link;
  const folder = from.split('/').slice(0, -1);
  const bases = target.startsWith('/') ? [[]] : link.kind === 'markdown' || /^\.\.?\//.test(target) ? [folder] : [[], folder];
  const paths = bases.map(base => join(base, target)).filter(path => path !== null);
  return [...new Set(paths.map(path => (path.endsWith('.md') ? path : `${path}.md`)))];
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
