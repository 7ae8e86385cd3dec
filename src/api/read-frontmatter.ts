import { type FrontmatterMap, parseDocument } from '#document';

/** Frontmatter and body of a text, by the one parser; null when it is no readable document. */
export const readFrontmatter = (text: string): { readonly data: FrontmatterMap; readonly body: string } | null => {
  const parsed = parseDocument(text);
  return parsed.kind === 'document' ? { data: parsed.document.data, body: parsed.document.body } : null;
};
