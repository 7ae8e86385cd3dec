import { decodeUtf8, hashContent } from '#document';
import { invalidMember } from '#errors';
import { indexPages, isGeneratedPage, type LinkedDocument } from '#semantic';
import type { LinkSource } from './link-source.ts';
import { refusalReason, submitChange } from './submit-change.ts';
import type { ContentsPage, LinkWriter } from './vault-links.ts';

/** See `VaultLinks.writeContents`. */
export const writeContents = async (
  source: LinkSource,
  documents: readonly LinkedDocument[],
  directory: string,
  writer: LinkWriter & { readonly force?: boolean },
): Promise<readonly ContentsPage[]> => {
  const below = documents.filter(({ path }) => directory === '' || path.startsWith(`${directory}/`));
  if (below.length === 0 && directory !== '') throw invalidMember('directory', `there are no Markdown files in '${directory}'.`);
  const listed = below.filter(({ kind, portability, appendOnly }) => kind === 'document' && portability === 'structural' && !appendOnly);
  const pages = indexPages(
    listed.map(({ path, title, handle, description }) => ({ path, title: title ?? handle, description })),
    directory,
  );
  const written: ContentsPage[] = [];
  for (const page of pages) written.push(await writePage(source, page.path, page.text, writer));
  const current = new Set(pages.map(({ path }) => path));
  for (const { path, kind } of below) {
    if (kind === 'page' && !current.has(path)) written.push(...(await removePage(source, path, writer)));
  }
  return written.sort((left, right) => (left.path < right.path ? -1 : 1));
};

const writePage = async (
  source: LinkSource,
  path: string,
  text: string,
  writer: LinkWriter & { readonly force?: boolean },
): Promise<ContentsPage> => {
  const stored = await source.vfs.read(path);
  if (stored !== null && stored.hash !== hashContent(text) && writer.force !== true && !isGenerated(stored.bytes)) {
    return { path, outcome: 'kept', reason: 'a person wrote or edited it; --force replaces it' };
  }
  const response = await submitChange(source, writer, { type: 'operation', path, content: text, ifMatch: stored?.hash ?? null });
  if (!response.success) return { path, outcome: 'refused', reason: refusalReason(response) };
  if (response.unchanged === true) return { path, outcome: 'unchanged' };
  if (response.dry_run) return { path, outcome: 'planned' };
  return {
    path,
    outcome: stored === null ? 'created' : 'replaced',
    ...(response.event_id === undefined ? {} : { event_id: response.event_id }),
  };
};

/** A generated page of a directory that has nothing to list any more would only lead nowhere. */
const removePage = async (source: LinkSource, path: string, writer: LinkWriter): Promise<readonly ContentsPage[]> => {
  const stored = await source.vfs.read(path);
  if (stored === null || !isGenerated(stored.bytes)) return [];
  const response = await submitChange(source, writer, { type: 'delete', path, ifMatch: stored.hash });
  if (!response.success) return [{ path, outcome: 'refused', reason: refusalReason(response) }];
  if (response.dry_run) return [{ path, outcome: 'planned', reason: 'there is nothing left to list' }];
  return [{ path, outcome: 'removed', ...(response.event_id === undefined ? {} : { event_id: response.event_id }) }];
};

/** A page that is not UTF-8 was not written by us. */
const isGenerated = (bytes: Uint8Array): boolean => {
  try {
    return isGeneratedPage(decodeUtf8(bytes));
  } catch {
    return false;
  }
};
