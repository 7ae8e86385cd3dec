import { hashContent, parseDocument } from '#document';
import { loadCoreRegistry } from '#registry';
import { type LinkedDocument, linkedDocument } from './linked-document.ts';

export const core = loadCoreRegistry();

/** A rule with the given frontmatter lines and body; for tests. */
export const ruleText = (frontmatter: string, body = ''): string => `---\ntype: rule\n${frontmatter}\n---\n${body}`;

/** Files of a vault by path, as links see them; for tests. */
export const linkedDocuments = (files: Readonly<Record<string, string>>): readonly LinkedDocument[] =>
  Object.entries(files).map(([path, text]) => linkedDocument(path, hashContent(text), parseDocument(text), core));
