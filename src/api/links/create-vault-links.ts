import { documentLinks, visibleDocuments } from './link-rows.ts';
import { createLinkSurvey, type LinkSource } from './link-source.ts';
import { moveDocuments } from './move-documents.ts';
import { fixLinks, reportLinks } from './repair-links.ts';
import { applyMentions, suggestMentions } from './suggest-mentions.ts';
import type { VaultLinks } from './vault-links.ts';
import { writeContents } from './write-contents.ts';

/** The links of a vault, read from its files; what was read is kept while this vault is open, and looked at again when a file changed. */
export const createVaultLinks = (source: LinkSource): VaultLinks => {
  const survey = createLinkSurvey(source);
  return {
    async of(path, reader = {}) {
      const documents = visibleDocuments(await survey(), reader, path);
      const document = documents.find(each => each.path === path);
      return document === undefined ? null : documentLinks(document, documents);
    },
    check: paths => reportLinks(source, survey, paths),
    fix: (paths, writer) => fixLinks(source, survey, paths, writer),
    suggest: async (paths, reader = {}) => suggestMentions(source, visibleDocuments(await survey(), reader), paths ?? null),
    apply: async (paths, writer, reader = {}) => applyMentions(source, visibleDocuments(await survey(), reader), paths, writer),
    move: (from, to, writer) => moveDocuments(source, survey, from, to, writer),
    writeContents: async (directory, writer) => writeContents(source, await survey(), directory, writer),
  };
};
