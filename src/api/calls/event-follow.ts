import { z } from 'zod';
import type { CanonicalEvent, Replayed } from '#adapter-contracts';
import { isVaultError, VaultError } from '#errors';
import { parseInput } from '../call.ts';
import { eventFilter } from '../event-filter.ts';
import { authorizedCaller, type Caller } from '../read-rights.ts';
import type { Vault } from '../vault.ts';
import { eventShape } from './event-calls.ts';

const input = z.strictObject({
  /** Begin behind this event, named by its id, or behind this cursor of `event.list`. */
  after: z.string().min(1).optional(),
  /** Where to begin without `after`: with what comes from now on, or with the first event. */
  from: z.enum(['now', 'start']).default('now'),
  subject: z.string().min(1).optional(),
  correlation_id: z.string().min(1).optional(),
  since: z.string().optional(),
});

/** The log from a place on, opened for one caller. */
export interface OpenedFollow {
  /** The place it begins at; null = before the first event. */
  readonly cursor: string | null;
  /** Whether the caller asked for this event. */
  readonly matches: (event: CanonicalEvent) => boolean;
  /** Every event of the log from there on, also those that do not match, so that the reader knows how far it is. Ends with the signal. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<Replayed>;
}

/** The one call whose answer does not end: each surface that has streams renders it. */
export const followEvents = Object.freeze({
  name: 'event.follow',
  summary: 'Events as they come, from any place of the log on, whichever process appends them.',
  input,
  /** One event of the answer. */
  item: eventShape,
  /** Throws what is wrong with the request before anything is answered. */
  async open(vault: Vault, caller: Caller, given: unknown): Promise<OpenedFollow> {
    authorizedCaller(vault, caller, 'read:event', 'follow the event log');
    const { after, from, subject, correlation_id, since } = parseInput('event.follow', input, given);
    const matches = eventFilter({
      ...(subject === undefined ? {} : { subject }),
      ...(correlation_id === undefined ? {} : { correlationId: correlation_id }),
      ...(since === undefined ? {} : { since }),
    });
    const cursor = after === undefined ? (from === 'now' ? await vault.lastCursor() : null) : await placeAfter(vault, after);
    return { cursor, matches, follow: signal => vault.follow({ signal, ...(cursor === null ? {} : { cursor }) }) };
  },
});

/** The cursor behind an event id, or the cursor itself. Throws `invalid_request` when the log knows neither. */
const placeAfter = async (vault: Vault, after: string): Promise<string> => {
  const behind = await vault.cursorAfter(after);
  if (behind !== null) return behind;
  try {
    for await (const _ of vault.events({ cursor: after })) break;
    return after;
  } catch (error) {
    if (!isVaultError(error)) throw error;
    const issue = `the log holds no event '${after}' and never gave such a cursor; begin again without it`;
    throw new VaultError('invalid_request', { issues: [{ field: 'after', issue }] }, `after: ${issue}.`);
  }
};

/** Whether the caller may read events at this moment; asked again before each event that is sent. */
export const mayFollowEvents = (vault: Vault, caller: Caller): boolean => {
  try {
    authorizedCaller(vault, caller, 'read:event', 'follow the event log');
    return true;
  } catch {
    return false;
  }
};
