import {
  createLinkMap,
  createLinkSuggester,
  type LinkedDocument,
  type LinkSuggestion,
  type SuggestLinks,
  withSuggestedLinks,
} from '#semantic';
import { isSelected } from '../path-selection.ts';
import { changeDocument, readCurrent } from './change-document.ts';
import type { LinkSource } from './link-source.ts';
import type { AppliedLinks, LinkChange, LinkMention, LinkWriter } from './vault-links.ts';

/** See `VaultLinks.suggest`; `documents` are those that the reader sees. */
export const suggestMentions = async (
  source: LinkSource,
  documents: readonly LinkedDocument[],
  paths: readonly string[] | null,
): Promise<readonly LinkMention[]> => {
  const suggest = createLinkSuggester(createLinkMap(documents));
  const mentions: LinkMention[] = [];
  for (const { path } of selectedOf(documents, paths)) {
    const current = await readCurrent(source, path);
    if (current !== null) for (const found of suggest(current.document, current.text)) mentions.push(mention(found));
  }
  return mentions;
};

const selectedOf = (documents: readonly LinkedDocument[], paths: readonly string[] | null): readonly LinkedDocument[] =>
  documents.filter(
    ({ path, kind, appendOnly }) => kind === 'document' && !appendOnly && (paths === null || paths.length === 0 || isSelected(path, paths)),
  );

const mention = ({ path, line, column, text, target }: LinkSuggestion): LinkMention => ({ path, line, column, text, target });

/** See `VaultLinks.apply`. */
export const applyMentions = async (
  source: LinkSource,
  documents: readonly LinkedDocument[],
  paths: readonly string[] | null,
  writer: LinkWriter,
): Promise<AppliedLinks> => {
  const suggest = createLinkSuggester(createLinkMap(documents));
  const changes: LinkChange[] = [];
  for (const { path } of selectedOf(documents, paths)) {
    const change = await changeDocument(source, path, writer, current => planLinks(current, suggest));
    if (change !== null) changes.push(change);
  }
  return { dry_run: writer.dryRun === true, changes };
};

const planLinks = ({ document, text, parsed }: NonNullable<Awaited<ReturnType<typeof readCurrent>>>, suggest: SuggestLinks) => {
  const suggestions = suggest(document, text);
  if (suggestions.length === 0 || parsed.kind !== 'document') return null;
  const linked = withSuggestedLinks(text, suggestions);
  const edits = suggestions.map(({ line, text: from, target }) => ({ line, from, to: `/${target}` }));
  return { patches: { __body__: linked.slice(parsed.document.layout.bodyStart) }, text: linked, edits };
};
