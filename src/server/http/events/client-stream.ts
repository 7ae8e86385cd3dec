import type { ServerResponse } from 'node:http';
import { endFrame } from './event-frames.ts';

/** One client's end of an event stream. */
export interface ClientStream {
  /** Aborted when nothing more is to be sent: the client is gone, was let go, or the stream was ended. */
  readonly signal: AbortSignal;
  /** False when the client must take something before there may be more; then wait for `drained`. */
  write(frame: Buffer): boolean;
  /** For what may be left out: written only when the client has taken everything so far. */
  writeWhenIdle(frame: string): void;
  /** Waits until the client has taken what was written; lets it go when it takes too long. */
  drained(): Promise<void>;
  /** Says why and ends the stream, at once. Only the first call counts. */
  end(body: object): void;
  /** True when the client was let go because it took nothing. */
  dropped(): boolean;
}

/** How long an ended stream may take to be read to its end. */
const lingerMs = 200;

export const createClientStream = (raw: ServerResponse, patienceMs: number): ClientStream => {
  const over = new AbortController();
  let dropped = false;
  raw.once('close', () => over.abort());
  // A client that resets the connection is gone, not a fault of the server.
  raw.on('error', () => over.abort());
  return {
    signal: over.signal,
    write: frame => raw.write(frame),
    writeWhenIdle(frame) {
      if (!over.signal.aborted && !raw.writableNeedDrain) raw.write(frame);
    },
    drained: () =>
      new Promise(resolve => {
        const settle = (): void => {
          clearTimeout(late);
          raw.off('drain', settle);
          over.signal.removeEventListener('abort', settle);
          resolve();
        };
        const late = setTimeout(() => {
          dropped = true;
          raw.destroy();
          over.abort();
        }, patienceMs);
        raw.once('drain', settle);
        over.signal.addEventListener('abort', settle, { once: true });
        // Between the write and this wait the client may have gone, or taken it.
        if (over.signal.aborted || !raw.writableNeedDrain) settle();
      }),
    end(body) {
      if (over.signal.aborted) return;
      over.abort();
      if (raw.writableNeedDrain) {
        raw.destroy();
        return;
      }
      raw.end(endFrame(body));
      const late = setTimeout(() => raw.destroy(), lingerMs);
      raw.once('close', () => clearTimeout(late));
    },
    dropped: () => dropped,
  };
};
