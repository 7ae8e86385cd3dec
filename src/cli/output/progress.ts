import type { WriteStream } from 'node:tty';
import { visibleLine } from './terminal-text.ts';

/** How far long work has come. */
export interface Progress {
  /** May be called as often as the work likes. */
  readonly update: (state: ProgressState) => void;
  /** Leaves nothing of a redrawn line behind. */
  readonly end: () => void;
}

export interface ProgressState {
  /** What is being done, in a word or two. */
  readonly what: string;
  readonly done: number;
  /** Null while it is not known. */
  readonly total: number | null;
}

interface ProgressOptions {
  readonly quiet: boolean;
  readonly json: boolean;
  /** Standard error: progress is for the person, never among results. */
  readonly stream: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => number;
}

/** Between two redrawn lines; between two plain ones. */
const redrawMs = 100;
const plainMs = 1_000;
/** A narrower terminal, or one that does not know its width, cannot be redrawn on one line. */
const narrowest = 20;
/** What is done sooner needs no progress. */
const silentMs = 300;

/**
 * Shows progress on standard error: one line that is redrawn on a terminal, a plain line every second elsewhere, JSON lines with `--json`, nothing with
 * `--quiet`.
 */
export const createProgress = ({ quiet, json, stream, environment = process.env, now = Date.now }: ProgressOptions): Progress => {
  const redraws = !json && stream.isTTY === true && (stream.columns ?? 0) >= narrowest && !environment.CI && environment.TERM !== 'dumb';
  const started = now();
  let next = started + silentMs;
  let drawn = false;

  const show = (state: ProgressState): void => {
    if (json) stream.write(`${JSON.stringify({ progress: state })}\n`);
    else if (redraws) stream.write(`\r\x1b[2K${lineOf(state).slice(0, stream.columns - 1)}`);
    else stream.write(`${lineOf(state)}\n`);
    drawn = true;
  };
  return {
    update(state) {
      if (quiet || now() < next) return;
      next = now() + (redraws ? redrawMs : plainMs);
      show(state);
    },
    end() {
      if (drawn && redraws) stream.write('\r\x1b[2K');
      drawn = false;
    },
  };
};

const lineOf = ({ what, done, total }: ProgressState): string => {
  const share = total === null || total === 0 ? '' : ` of ${total} (${Math.floor((100 * done) / total)} %)`;
  return `${visibleLine(what)}: ${done}${share}`;
};
