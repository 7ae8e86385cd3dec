import { type Document, emptyMap, isIndexPath, type Link, type ParsedFile, rewriteLinks, type Value } from '#document';
import type { Definition } from '#registry';
import { movedFields } from './field-paths.ts';

/** How one file's links and frontmatter paths are to change. */
export interface LinkRewriting {
  /** A link's new target by its start in the text; absent leaves it alone. */
  readonly targets: ReadonlyMap<number, string>;
  /** A frontmatter path's new one, or null. */
  newPath(path: string): string | null;
  /** The links that `targets` speaks of; those of the text unless others are meant. */
  readonly links?: readonly Link[];
}

/** The members of a patch envelope that make the changes, frontmatter keys and `__body__`; empty when nothing changes. */
export const rewritingPatches = (
  path: string,
  parsed: ParsedFile,
  definition: Definition | null,
  rewriting: LinkRewriting,
): Readonly<Record<string, Value>> => {
  const patches = emptyMap();
  if (parsed.kind === 'invalid') return patches;
  if (parsed.kind === 'ordinary') {
    const text = rewritten(parsed.text, rewriting);
    if (isIndexPath(path) && text !== parsed.text) patches.__body__ = text;
    return patches;
  }
  const { document } = parsed;
  Object.assign(patches, movedFields(document.data, definition, rewriting.newPath));
  const body = rewrittenBody(document, rewriting);
  if (body !== document.body) patches.__body__ = body;
  return patches;
};

const rewrittenBody = ({ text, layout }: Document, rewriting: LinkRewriting): string => rewritten(text, rewriting).slice(layout.bodyStart);

const rewritten = (text: string, { targets, links }: LinkRewriting): string =>
  targets.size === 0 ? text : rewriteLinks(text, link => targets.get(link.start) ?? null, links);
