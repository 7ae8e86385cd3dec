import { VaultError } from '#errors';
import { extractLinks } from './extract-links.ts';
import type { Link } from './link.ts';

/**
 * The text with the targets of some links replaced; labels, anchors, titles and every other byte stay. `rewrite` gives a
 * link's new target, as meant, or null to leave the link alone; `links` are those of the text unless the caller wants others. A wiki link cannot name a target with brackets, `|` or `#`:
 * `invalid_request`.
 *
 * @example rewriteLinks(text, link => (link.target === 'old' ? 'new' : null))
 */
export const rewriteLinks = (text: string, rewrite: (link: Link) => string | null, links: readonly Link[] = extractLinks(text)): string => {
  let result = '';
  let from = 0;
  // By their targets: the label of a Markdown link may hold a wiki link, which starts later and whose target stands earlier.
  for (const link of links.toSorted((left, right) => left.targetStart - right.targetStart)) {
    const target = rewrite(link);
    if (target === null || target === link.target) continue;
    result += text.slice(from, link.targetStart) + (link.kind === 'wiki' ? wikiTarget(target, link) : encodeAddress(target));
    from = link.targetEnd;
  }
  return result + text.slice(from);
};

const wikiTarget = (target: string, link: Link): string => {
  if (!/[[\]|#\r\n\\]/.test(target)) return target;
  throw new VaultError(
    'invalid_request',
    {},
    `The link on line ${link.line} cannot name '${target}': a wiki link cannot hold [ ] | # or a backslash.`,
  );
};

/** A path as the address of a Markdown link, also between angle brackets. */
export const encodeAddress = (target: string): string =>
  target.replace(/[\0-\x20%#?<>()[\]\\"'`|\x7f]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
