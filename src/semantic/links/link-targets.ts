import type { Link } from '#document';
import type { LinkMap } from './link-map.ts';
import type { LinkedDocument } from './linked-document.ts';

/**
 * How a link in the document at `from` has to be written to lead to `target`, as close as can be to how it is written now: a bare name stays bare while
 * only one document has it, a relative address stays relative, an ending stays. Null when no form of this link can name it.
 */
export const retarget = (link: Link, from: string, target: LinkedDocument, map: LinkMap): string | null => {
  const written = link.kind === 'markdown' ? markdownTarget(link, from, target.path) : wikiTarget(link, from, target, map);
  if (written === null) return null;
  const leads = map.resolve({ ...link, target: written }, from);
  return leads.kind === 'resolved' && leads.path === target.path ? written : null;
};

const markdownTarget = ({ target }: Link, from: string, path: string): string =>
  target.startsWith('/') ? `/${path}` : withDot(target, relativePath(from, path));

/** Whoever writes `./x.md` gets `./` again. */
const withDot = (before: string, after: string): string => (before.startsWith('./') && !after.startsWith('../') ? `./${after}` : after);

const wikiTarget = (link: Link, from: string, target: LinkedDocument, map: LinkMap): string | null => {
  const forms = [...wikiForms(link, from, target, map)];
  return forms.find(form => !/[[\]|#\r\n\\]/.test(form)) ?? null;
};

function* wikiForms(link: Link, from: string, { path, handle, slug }: LinkedDocument, map: LinkMap): Iterable<string> {
  const ending = link.target.endsWith('.md') ? '' : '.md';
  const shortened = path.endsWith('.md') && ending !== '' ? path.slice(0, -ending.length) : path;
  const bare = !link.target.includes('/') && ending !== '';
  if (bare) {
    for (const name of slug === null ? [handle] : [handle, slug]) {
      const named = map.named(name);
      if (named.length === 1 && named[0] === path) yield name;
    }
  } else if (/^\.\.?\//.test(link.target)) {
    const relative = withDot(link.target, relativePath(from, shortened));
    yield /^\.\.?\//.test(relative) ? relative : `./${relative}`;
  }
  if (!link.target.startsWith('/') && (shortened.includes('/') || ending === '')) {
    const leads = map.resolve({ ...link, target: shortened }, from);
    if (leads.kind === 'resolved' && leads.path === path) yield shortened;
  }
  // From the root, whatever else is called so.
  yield `/${shortened}`;
}

/** The address of `path` from the folder of `from`. */
const relativePath = (from: string, path: string): string => {
  const folder = from.split('/').slice(0, -1);
  const segments = path.split('/');
  let shared = 0;
  while (shared < folder.length && shared < segments.length - 1 && folder[shared] === segments[shared]) shared++;
  return [...folder.slice(shared).map(() => '..'), ...segments.slice(shared)].join('/');
};
