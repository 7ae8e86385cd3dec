import { TransportError } from '../transport-error.ts';

/** Throws `rate_limited` when there is something to wait for. */
export const refuseWhen = (waitSeconds: number, reason: string): void => {
  if (waitSeconds === 0) return;
  throw new TransportError('rate_limited', `${reason} Wait ${waitSeconds} s and try again.`, { 'retry-after': String(waitSeconds) });
};
