import type { CanonicalEvent } from '#adapter-contracts';
import { VaultError } from '#errors';
import type { EventQuery } from './vault.ts';

/** Whether an event is asked for. Throws `VaultError('invalid_request')` when `since` is no instant. */
export const eventFilter = ({ subject, correlationId, since }: Omit<EventQuery, 'cursor'>): ((event: CanonicalEvent) => boolean) => {
  const from = since === undefined ? null : parseInstant(since);
  return event =>
    (from === null || Date.parse(event.timestamp) >= from) &&
    (subject === undefined || event.subject === subject || (subject.endsWith('/') && event.subject.startsWith(subject))) &&
    (correlationId === undefined || event.correlation_id === correlationId);
};

/** Milliseconds of an ISO 8601 date or instant. Throws `VaultError('invalid_request')` for anything else. */
export const parseInstant = (value: string): number => {
  const time = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const issue = `'${value}' is not an ISO 8601 date or instant, such as 2026-05-16 or 2026-05-16T14:00:00Z`;
  throw new VaultError('invalid_request', { issues: [{ field: 'since', issue }] }, `since: ${issue}.`);
};
