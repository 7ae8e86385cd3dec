import type { CallOptions, Transport } from './transport.ts';
import type { Lease } from './wire-types.ts';

/** The unit of work that holds the lease, and for how long. */
export interface LeaseTerms extends CallOptions {
  readonly operationId: string;
  readonly ttlSeconds?: number | undefined;
}

/** Claims on paths (§7). Whatever is refused is thrown as `SheafError`. */
export interface LeaseCalls {
  /** Claims a path for a unit of work; `lease_conflict` while another has it. */
  acquire(target: string, terms: LeaseTerms): Promise<Lease>;
  /** Makes it last longer, as its holder. */
  renew(leaseId: string, terms: LeaseTerms): Promise<Lease>;
  /** Gives it up, so that others need not wait for its end. */
  release(leaseId: string, terms: Omit<LeaseTerms, 'ttlSeconds'>): Promise<void>;
  /** The leases that live now. */
  list(options?: CallOptions): Promise<readonly Lease[]>;
}

export const createLeaseCalls = (transport: Transport): LeaseCalls => {
  const json = { 'content-type': 'application/json' };
  const one = (leaseId: string): string => `/v1/leases/${encodeURIComponent(leaseId)}`;
  const terms = ({ operationId, ttlSeconds }: LeaseTerms) => ({
    operation_id: operationId,
    ...(ttlSeconds === undefined ? {} : { ttl_seconds: ttlSeconds }),
  });
  return {
    // Not repeatable: a claim whose answer was lost would be refused as somebody's, and it is nobody else's.
    acquire: (target, { signal, ...rest }) =>
      transport.call({
        method: 'POST',
        path: '/v1/leases',
        headers: json,
        body: JSON.stringify({ target, ...terms(rest) }),
        repeatable: false,
        signal,
      }),
    renew: (leaseId, { signal, ...rest }) =>
      transport.call({
        method: 'POST',
        path: `${one(leaseId)}/renew`,
        headers: json,
        body: JSON.stringify(terms(rest)),
        repeatable: true,
        signal,
      }),
    async release(leaseId, { signal, operationId }) {
      await transport.call({ method: 'DELETE', path: one(leaseId), query: { operation_id: operationId }, repeatable: false, signal });
    },
    async list({ signal } = {}) {
      const { leases } = await transport.call<{ readonly leases: readonly Lease[] }>({ path: '/v1/leases', repeatable: true, signal });
      return leases;
    },
  };
};
