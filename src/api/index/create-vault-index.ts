import { VaultError } from '#errors';
import { listSessions, type VaultProjections } from '#projections';
import { parseInstant } from '../event-filter.ts';
import type { IndexProgress, VaultIndex } from './vault-index.ts';

/** The derived read models as a member of the vault. */
export const createVaultIndex = (projections: VaultProjections): VaultIndex => {
  const listeners = new Set<(progress: IndexProgress) => void>();
  const onProgress = (progress: IndexProgress): void => {
    for (const listener of listeners) listener(progress);
  };
  return {
    status: () => projections.status(),
    async rebuild(id) {
      const levelled = await projections.rebuild({ ...(id === undefined ? {} : { id }), onProgress });
      const all = (await projections.status()).map(projection => projection.id);
      return { rebuilt: id === undefined ? all : [id], ...levelled };
    },
    check: () => projections.findDrift(),
    repair: () => projections.findDrift({ repair: true }),
    async sessions({ limit, cursor, since }) {
      if (cursor !== undefined && !/^[1-9]\d{0,14}$/.test(cursor)) throw unknownCursor();
      const from = since === undefined ? {} : { since: parseInstant(since) };
      const graph = projections.of('event_graph');
      await graph.level();
      return graph.read(db => listSessions(db, { limit, ...(cursor === undefined ? {} : { cursor }), ...from }));
    },
    onProgress(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

const unknownCursor = (): VaultError<'invalid_request'> => {
  const issue = 'no cursor of this list; start again without one';
  return new VaultError('invalid_request', { issues: [{ field: 'cursor', issue }] }, `cursor: ${issue}.`);
};
