/** Until a command that serves is told to end. */
export interface UntilTold {
  /** Aborted at Ctrl-C, at SIGTERM, which supervisors and clients send, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  /** Listens no longer. */
  dispose(): void;
}

/** Adds SIGTERM to what interrupts a command: one that serves finishes what is under way instead of dying of it. */
export const untilTold = (interrupted: AbortSignal): UntilTold => {
  const controller = new AbortController();
  const tell = (): void => controller.abort();
  process.on('SIGTERM', tell);
  return { signal: AbortSignal.any([interrupted, controller.signal]), dispose: () => void process.off('SIGTERM', tell) };
};
