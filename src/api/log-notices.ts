import type { EventStore, LogDamage } from '#adapter-contracts';
import type { VaultNotice } from './vault.ts';

/** What is known to be wrong with the log, for a person (readings: damaged logs). */
export const logNotices = async (events: EventStore): Promise<readonly VaultNotice[]> => {
  const damage = (await events.knownDamage?.()) ?? [];
  return damage.map(one => ({ kind: kinds[one.kind ?? 'unreadable'], message: messageOf(one), file: one.file, offset: one.offset }));
};

const kinds = { unreadable: 'log_damage', repeated: 'duplicate_event', missing: 'events_missing' } as const;

const messageOf = ({ kind, file, offset, length, reason }: LogDamage): string => {
  if (kind === 'repeated' || kind === 'missing') return reason;
  const where = `${file}, byte ${offset}, ${length} bytes`;
  return `The log is damaged (${where}: ${reason}): an event may be lost there. See \`sheaf doctor\`, and \`sheaf check\` for the documents.`;
};
