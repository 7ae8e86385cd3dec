import { createPlaceFinder, documentAnchors, extractEndlessLinks, extractLinks, isIndexPath, type Link, type ParsedFile } from '#document';
import { effectivePortability, type PortabilityClass, type Registry } from '#registry';
import { handleOf } from '../records/document-facts.ts';
import { type FieldPath, pathsInFields } from './field-paths.ts';

/** A link with the 1-based column it starts at. */
export interface PlacedLink extends Link {
  readonly column: number;
}

/** One Markdown file of the vault, reduced to what links need to know about it. */
export interface LinkedDocument {
  readonly path: string;
  /** `sha256:<hex>` of the bytes it was read from. */
  readonly hash: string;
  /** `page` is an `index.md`; `ordinary` Markdown and `invalid` documents cannot be changed through the contract. */
  readonly kind: 'document' | 'page' | 'ordinary' | 'invalid';
  /** Qualified, `ssss:index`, or null. */
  readonly type: string | null;
  /** Effective class; pages are `structural`, what is no document has none. */
  readonly portability: PortabilityClass | null;
  readonly appendOnly: boolean;
  readonly title: string | null;
  readonly description: string | null;
  readonly aliases: readonly string[];
  /** The file's name, or its folder's where the type fixes the file's name. */
  readonly handle: string;
  readonly slug: string | null;
  readonly semanticId: string | null;
  readonly links: readonly PlacedLink[];
  /** Links that lack the ending `.md`. */
  readonly endless: readonly PlacedLink[];
  /** Paths of documents that stand in frontmatter. */
  readonly fields: readonly (FieldPath & { readonly line: number })[];
  /** What may stand behind `#`; see `documentAnchors`. */
  readonly anchors: ReadonlySet<string>;
}

/** Reads a parsed file for its links. Pure. */
export const linkedDocument = (path: string, hash: string, parsed: ParsedFile, registry: Registry): LinkedDocument => {
  const document = parsed.kind === 'document' ? parsed.document : null;
  const isPage = isIndexPath(path);
  const type = typeof document?.data.type === 'string' ? document.data.type : null;
  const definition = type === null ? null : registry.resolve(type);
  const text = document === null ? (parsed as { readonly text: string }).text : document.text;
  const data = document?.data ?? null;
  const placed = (links: readonly Link[]): readonly PlacedLink[] => {
    const placeOf = createPlaceFinder(text);
    return links.map(link => ({ ...link, column: placeOf(link.start).column }));
  };
  return {
    path,
    hash,
    kind: kindOf(path, parsed, definition !== null),
    type: isPage ? 'ssss:index' : (definition?.qualified ?? null),
    portability: isPage ? 'structural' : definition === null || data === null ? null : effectivePortability(definition, data),
    appendOnly: definition?.append_only === true,
    title: typeof data?.title === 'string' ? data.title : null,
    description: typeof data?.description === 'string' ? data.description : null,
    aliases: Array.isArray(data?.aliases) ? data.aliases.filter(alias => typeof alias === 'string') : [],
    handle: handleOf(path, definition),
    slug: typeof data?.slug === 'string' ? data.slug.trim() : null,
    semanticId: typeof data?.semantic_id === 'string' ? data.semantic_id : null,
    links: placed(extractLinks(text)),
    endless: placed(extractEndlessLinks(text)),
    fields: data === null ? [] : pathsInFields(data, definition).map(field => ({ ...field, line: document?.lineOf(field.field) ?? 1 })),
    anchors: documentAnchors(text),
  };
};

/** A page with frontmatter is no document, and a document of an unknown type none that the contract would change. */
const kindOf = (path: string, parsed: ParsedFile, known: boolean): LinkedDocument['kind'] => {
  if (isIndexPath(path)) return parsed.kind === 'ordinary' ? 'page' : 'invalid';
  return parsed.kind === 'document' && !known ? 'invalid' : parsed.kind;
};
