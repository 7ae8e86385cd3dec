import { type Document, emptyMap, isIndexPath, type Link, type ParsedFile, patchDocument, rewriteLinks, type Value } from '#document';
import type { Definition } from '#registry';
import { movedFields } from './field-paths.ts';
import { remarkedPage } from './index-page.ts';

/** How one file's links and frontmatter paths are to change. */
export interface LinkRewriting {
  /** A link's new target by its start in the text; absent leaves it alone. */
  readonly targets: ReadonlyMap<number, string>;
  /** A frontmatter path's new one, or null. */
  readonly newPath: (path: string) => string | null;
  /** The links that `targets` speaks of; those of the text unless others are meant. */
  readonly links?: readonly Link[];
}

/** A file with its links rewritten. */
export interface RewrittenFile {
  /** The members of a patch envelope that make the changes: frontmatter keys and `__body__`; empty when nothing changes. */
  readonly patches: Readonly<Record<string, Value>>;
  readonly text: string;
}

/** Rewrites the links of one file; every byte that is no target stays. What cannot be read, and Markdown of no type, stays as it is. */
export const rewriteFile = (path: string, parsed: ParsedFile, definition: Definition | null, rewriting: LinkRewriting): RewrittenFile => {
  const patches = emptyMap();
  if (parsed.kind === 'document') {
    const { document } = parsed;
    Object.assign(patches, movedFields(document.data, definition, rewriting.newPath));
    const body = rewrittenBody(document, rewriting);
    if (body !== document.body) patches.__body__ = body;
    return { patches, text: patchDocument(document, patches, 'replace').text };
  }
  if (parsed.kind === 'invalid' || !isIndexPath(path)) return { patches, text: parsed.text };
  const text = remarkedPage(parsed.text, rewritten(parsed.text, rewriting));
  if (text !== parsed.text) patches.__body__ = text;
  return { patches, text };
};

const rewrittenBody = ({ text, layout }: Document, rewriting: LinkRewriting): string => rewritten(text, rewriting).slice(layout.bodyStart);

const rewritten = (text: string, { targets, links }: LinkRewriting): string =>
  targets.size === 0 ? text : rewriteLinks(text, link => targets.get(link.start) ?? null, links);
