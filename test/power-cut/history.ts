import type { Lease, Principal } from '#adapter-contracts';
import type { KernelResponse } from '#kernel';

export interface Envelope {
  readonly type: 'operation' | 'patch' | 'event' | 'delete';
  readonly workspace_id: string;
  readonly idempotency_key: string;
  readonly path: string;
  readonly content?: string;
  readonly patches?: { readonly count?: number; readonly __body__?: string };
  readonly operation_id?: string;
  readonly lease_id?: string;
}

/** What a client asks for; asked again, it is the same request. */
export interface Request {
  readonly envelope: Envelope;
  readonly principal: Principal;
  readonly ifMatch?: string | null;
}

/** One sending of a request. Moments are counted over the whole history, so that "answered before" is a comparison. */
export interface Attempt {
  readonly request: Request;
  readonly startedAt: number;
  answeredAt: number;
  response: KernelResponse | null;
}

export interface LeaseAttempt {
  readonly target: string;
  readonly principalId: string;
  readonly operationId: string;
  readonly startedAt: number;
  /** Set when the caller was told. */
  lease: Lease | null;
  /** The holder has begun to give it back, or to renew it. */
  changed: boolean;
}

/** Everything that clients asked and were told, across processes and power cuts. */
export interface History {
  readonly attempts: Attempt[];
  readonly leases: LeaseAttempt[];
  /** Errors that no caller should meet on a disk that works. */
  readonly surprises: string[];
  /** The next moment. */
  tick(): number;
}

export const createHistory = (): History => {
  let moment = 0;
  return { attempts: [], leases: [], surprises: [], tick: () => ++moment };
};

/** The history as it stood at a moment, to be continued in another direction. */
export const historyAt = (history: History, moment: number): History => {
  let now = moment;
  const attempts = history.attempts
    .filter(({ startedAt }) => startedAt <= moment)
    .map(attempt => (attempt.answeredAt <= moment ? attempt : { ...attempt, answeredAt: Number.POSITIVE_INFINITY, response: null }));
  return { attempts, leases: history.leases.map(lease => ({ ...lease })), surprises: [...history.surprises], tick: () => ++now };
};

/** Sends a request and keeps what came of it; the answer of a process that died meanwhile was never heard. */
export const send = async (
  history: History,
  request: Request,
  execute: (request: Request) => Promise<KernelResponse>,
  isAlive: () => boolean,
): Promise<KernelResponse | null> => {
  const attempt: Attempt = { request, startedAt: history.tick(), answeredAt: Number.POSITIVE_INFINITY, response: null };
  history.attempts.push(attempt);
  const response = await execute(request);
  if (!isAlive()) return null;
  attempt.answeredAt = history.tick();
  attempt.response = response;
  return response;
};
