import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** A child of the test that says one JSON line at a time, and that the test may stop, continue and kill. */
export interface Child {
  readonly name: string;
  /** Everything it said in whole lines; a line that a kill cut off is none. */
  readonly lines: readonly unknown[];
  /** Resolves with the first line, said or yet to come, that `matches`; rejects when the child ends before. */
  hears(matches: (line: never) => boolean): Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGSTOP and resolves once the system says that the process stands still. */
  stop(): Promise<void>;
  /** Resolves once the process stands still, whoever stopped it. */
  stopped(): Promise<void>;
  /** Resolves with the exit code, or with the signal that ended it, when all it said has been read. */
  readonly ended: Promise<number | NodeJS.Signals>;
  readonly errors: () => string;
}

/** Node runs these with the compiled code, so options of the test runner (loaders, conditions) must not reach them. */
export const startChild = (
  name: string,
  script: string,
  args: readonly string[],
  options: { readonly uid?: number; readonly env?: NodeJS.ProcessEnv } = {},
): Child => {
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = { ...inherited, ...options.env };
  const owner = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env, ...owner });
  const lines: unknown[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  let errors = '';
  child.stdout.on('data', chunk => {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(JSON.parse(part));
    for (const look of waiting) look();
  });
  child.stderr.on('data', chunk => {
    errors += String(chunk);
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(signal ?? code ?? -1));
  });
  ended.catch(() => undefined);
  return {
    name,
    lines,
    ended,
    errors: () => errors,
    hears: matches => hearing(lines, waiting, ended, matches as (line: unknown) => boolean, () => `${name} ended: ${errors}`),
    signal: signal => void child.kill(signal),
    async stop() {
      child.kill('SIGSTOP');
      await standsStill(child);
    },
    stopped: () => standsStill(child),
  };
};

const hearing = (
  lines: readonly unknown[],
  waiting: Set<() => void>,
  ended: Promise<unknown>,
  matches: (line: unknown) => boolean,
  ending: () => string,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let from = 0;
    const look = (): void => {
      for (; from < lines.length; from += 1) {
        if (!matches(lines[from])) continue;
        waiting.delete(look);
        resolve(lines[from]);
        return;
      }
    };
    waiting.add(look);
    look();
    void ended.then(() => {
      look();
      reject(new Error(ending()));
    }, reject);
  });

/** Only the system knows when a stop has reached every thread; it tells nobody, so it has to be asked. */
const standsStill = async (child: ChildProcess): Promise<void> => {
  while (child.exitCode === null && child.signalCode === null && !/^\d+ \(.*\) [Tt] /s.test(stateOf(child))) await pause(2);
};

const stateOf = ({ pid }: ChildProcess): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
};

/** Why processes cannot be stopped and watched here, or null. */
export const stoppingUnavailable = (): string | null => (process.platform === 'linux' ? null : `${process.platform} has no /proc`);
