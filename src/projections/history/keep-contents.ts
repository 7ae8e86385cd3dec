import { type CanonicalEvent, type ProjectionCoordinator, recordedState, type Vfs } from '#adapter-contracts';
import { type Content, type ContentStore, isContentHash } from './content-store.ts';

interface KeepingParts {
  /** Null: nothing is kept, events are told all the same. */
  readonly contents: ContentStore | null;
  readonly vfs: Vfs;
  /** Told about every event of this process, after its contents were handed over. */
  readonly onEvent?: (event: CanonicalEvent) => void;
}

/**
 * Puts the keeping of contents before another coordinator: each event's own bytes, before and after, are handed over at stage 12, so that even a content
 * that a crash lost is caught when the next change takes its place. A content that cannot be kept costs the commit nothing.
 */
export const keepingContents = (inner: ProjectionCoordinator, { contents, vfs, onEvent }: KeepingParts): ProjectionCoordinator => ({
  ...inner,
  async dispatch(event, after, before) {
    if (contents !== null) {
      const given = [contentOf(event.before_hash, before), contentOf(event.after_hash, after), await adoptedContent(vfs, event)];
      await contents.keep(given.filter(content => content !== null));
    }
    onEvent?.(event);
    await inner.dispatch(event, after, before);
  },
});

const contentOf = (hash: string | null, bytes: Uint8Array | null | undefined): Content | null =>
  hash === null || bytes === null || bytes === undefined ? null : { hash, bytes };

/** An adoption carries no bytes: the file is as it was adopted, or somebody has saved it again since and that content is lost. */
const adoptedContent = async (vfs: Vfs, event: CanonicalEvent): Promise<Content | null> => {
  if (event.action !== 'event') return null;
  const hash = recordedState(event)?.hash;
  if (!isContentHash(hash)) return null;
  const stored = await vfs.read(event.subject).catch(() => null);
  return stored?.hash === hash ? { hash, bytes: stored.bytes } : null;
};

/** Stands where no other read model is kept. */
export const noProjections: ProjectionCoordinator = {
  dispatch: async () => undefined,
  replay: async () => undefined,
  detectDrift: async () => false,
};
