/** Waits, unless the signal is aborted; then it throws the signal's reason. */
export const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });

/** How long to wait before try number `attempt`, from 0: twice as long each time, never in step with other clients. */
export const backoff = (attempt: number, firstMs: number, mostMs: number): number =>
  Math.min(firstMs * 2 ** attempt, mostMs) * (0.5 + Math.random() / 2);
