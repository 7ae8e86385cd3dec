import { collectContents, type HistoryKeeper } from '#projections';
import { blameDocument } from './blame-document.ts';
import { findContent } from './past-version.ts';
import { changeOf, diffOfDocument, documentAt } from './read-history.ts';
import { type UndoSource, undoEvent } from './undo-event.ts';
import type { VaultHistory } from './vault-history.ts';

/** Makes the past of a vault readable and its changes undoable. */
export const createVaultHistory = (source: UndoSource & HistoryKeeper & { readonly now: () => Date }): VaultHistory => ({
  contentOf: (hash, path) => findContent(source, hash, path),
  change: eventId => changeOf(source, eventId),
  at: (path, eventId) => documentAt(source, path, eventId),
  diff: (path, from, to) => diffOfDocument(source, path, from, to),
  blame: (path, at) => blameDocument(source, path, at),
  undo: (eventId, options) => undoEvent(source, eventId, options),
  collect: options => collectContents({ ...source, now: source.now() }, source.limit, options),
  flush: () => source.contents.flush(),
  git: source.git,
});
