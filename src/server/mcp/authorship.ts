import { recordedState } from '#adapter-contracts';
import type { CanonicalEvent, Vault } from '#api';

/** Who last wrote a document, and the version they left. */
interface LastAuthor {
  readonly kind: CanonicalEvent['principal']['kind'];
  /** Null when the document was deleted. */
  readonly hash: string | null;
}

/** Knows the last author of every document, by the log alone. */
export interface Authorship {
  /** By path. A document that was changed on disk since no longer has the hash that its last author left. */
  lastAuthors(): Promise<ReadonlyMap<string, LastAuthor>>;
}

/** Reads the log once and from then on only what is new; one per vault, shared by its sessions. */
export const createAuthorship = (vault: Vault): Authorship => {
  const authors = new Map<string, LastAuthor>();
  let cursor: string | undefined;
  let reading: Promise<void> = Promise.resolve();

  const readOn = async (): Promise<void> => {
    for await (const replayed of vault.events(cursor === undefined ? {} : { cursor })) {
      const state = recordedState(replayed.event);
      if (state !== null) authors.set(replayed.event.subject, { kind: replayed.event.principal.kind, hash: state.hash });
      cursor = replayed.cursor;
    }
  };

  return {
    async lastAuthors() {
      // One after the other: two readers of one stretch would move the cursor back. A failure is met again by the next reader.
      reading = reading.catch(() => undefined).then(readOn);
      await reading;
      return authors;
    },
  };
};
