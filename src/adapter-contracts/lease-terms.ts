import { VaultError } from '#errors';
import type { Lease, LeaseHolder } from './lease-store.ts';

const defaultTtlSeconds = 60;
const longestTtlSeconds = 86_400;

/**
 * The instant a lease taken or renewed at `now` ends. Throws `VaultError('invalid_request')` for a time to live that is not a finite number
 * of seconds above 0 and at most 86,400 (readings: lease terms).
 */
export const leaseExpiry = (now: Date, ttlSeconds: number = defaultTtlSeconds): Date => {
  // Asked at run time too, because the number comes from a caller's JSON.
  if (typeof ttlSeconds !== 'number' || !Number.isFinite(ttlSeconds) || ttlSeconds <= 0 || ttlSeconds > longestTtlSeconds) {
    const issue = `a lease lasts a finite number of seconds above 0 and at most ${longestTtlSeconds}; got ${String(ttlSeconds)}`;
    throw new VaultError('invalid_request', { issues: [{ field: 'ttl', issue }] }, `ttl: ${issue}.`);
  }
  return new Date(now.getTime() + Math.ceil(ttlSeconds * 1000));
};

/** A lease ends at its `expires_at`, and is absent from that instant on (§7). */
export const isLiveLease = (lease: Lease, now: Date): boolean => now.getTime() < Date.parse(lease.expires_at);

/** A lease belongs to its id, its principal and its unit of work together; two of three are not enough (§7). */
export const holdsLease = (lease: Lease, holder: LeaseHolder): boolean =>
  lease.lease_id === holder.lease_id && lease.principal_id === holder.principal_id && lease.operation_id === holder.operation_id;

/** Renewing extends, so an end already later stays. */
export const renewedLease = (lease: Lease, now: Date, ttlSeconds?: number): Lease => {
  const expiry = leaseExpiry(now, ttlSeconds).toISOString();
  return Date.parse(expiry) > Date.parse(lease.expires_at) ? { ...lease, expires_at: expiry } : lease;
};

/** The refusal for a target that somebody holds already. */
export const leaseTaken = (lease: Lease): VaultError<'lease_conflict'> =>
  new VaultError(
    'lease_conflict',
    { path: lease.target },
    `'${lease.target}' is leased until ${lease.expires_at}. Wait until then, or ask the holder to release it.`,
  );

/** The refusal for a holder whose lease is gone, expired, or somebody else's; says nothing about who holds it. */
export const leaseNotHeld = (target: string): VaultError<'lease_conflict'> =>
  new VaultError(
    'lease_conflict',
    { path: target },
    `No live lease on '${target}' matches this lease_id, principal and operation_id. Acquire a lease, and present it with the operation_id it was acquired with.`,
  );
