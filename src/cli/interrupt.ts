import { SilentExit } from './cli-error.ts';

export const interruptedStatus = 130;

export interface Interruption {
  /** Aborted by the first Ctrl-C, or when nobody reads standard output any more. */
  readonly signal: AbortSignal;
  /** The status that the interruption asks for; null while there is none. */
  readonly status: () => number | null;
  readonly dispose: () => void;
}

/**
 * Ctrl-C once asks the command to stop cleanly (what was begun is finished and reported), twice stops at once. A closed pipe (`sheaf log | head`)
 * also stops the command, quietly and with status 0.
 */
export const watchInterruption = (): Interruption => {
  const controller = new AbortController();
  let status: number | null = null;
  const stop = (asked: number): void => {
    status ??= asked;
    controller.abort();
  };
  const onInterrupt = (): void => {
    if (status !== null) process.exit(interruptedStatus);
    stop(interruptedStatus);
  };
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    stop(0);
  };
  process.on('SIGINT', onInterrupt);
  process.stdout.on('error', onOutputError);
  process.stderr.on('error', onOutputError);
  return {
    signal: controller.signal,
    status: () => status,
    dispose: () => {
      process.off('SIGINT', onInterrupt);
    },
  };
};

/** Rejects when the signal is aborted; for waits that have nothing to finish. */
export const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  if (signal.aborted) return Promise.reject(new SilentExit(interruptedStatus));
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new SilentExit(interruptedStatus));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
};
