import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '#errors';

/** How a program ended. */
export interface ProgramEnd {
  readonly kind: 'exited' | 'signalled' | 'timed_out' | 'flooded' | 'stopped' | 'not_started';
  readonly code: number | null;
  /** What it wrote, both streams as they came, cut at the limit. */
  readonly output: string;
  /** Why it did not start, or the signal that ended it. */
  readonly reason: string | null;
}

export interface ProgramLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
}

/** Between asking a program to end and ending it. */
const graceMs = 500;

/**
 * Runs a program without a shell, with an environment that holds nothing of ours, in an empty directory of its own that is removed afterwards. Whatever
 * it started is ended with it: its process group, and on Linux what left the group, too.
 */
export const runProgram = async (argv: readonly string[], limits: ProgramLimits): Promise<ProgramEnd> => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-run-'));
  const mark = `SHEAF_RUN=${randomUUID()}`;
  try {
    const [program = '', ...rest] = argv;
    const child = spawn(program, rest, {
      cwd: directory,
      env: { LANG: 'C.UTF-8', HOME: directory, TMPDIR: directory, SHEAF_RUN: mark.slice('SHEAF_RUN='.length) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A session of its own: its group can be ended as a whole, and it has no terminal.
      detached: true,
      windowsHide: true,
    });
    return await untilEnd(child, limits, mark);
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
};

const untilEnd = async (child: ChildProcess, { timeoutMs, maxOutputBytes, signal }: ProgramLimits, mark: string): Promise<ProgramEnd> => {
  const chunks: Buffer[] = [];
  let size = 0;
  const ended: { by: 'timed_out' | 'flooded' | 'stopped' | null } = { by: null };
  let killing: NodeJS.Timeout | null = null;
  const end = (why: 'timed_out' | 'flooded' | 'stopped'): void => {
    if (ended.by !== null) return;
    ended.by = why;
    killGroup(child, 'SIGTERM');
    killing = setTimeout(() => killEverything(child, mark), graceMs);
  };
  const collect = (chunk: Buffer): void => {
    if (size < maxOutputBytes) chunks.push(chunk.subarray(0, maxOutputBytes - size));
    size += chunk.length;
    if (size > maxOutputBytes) end('flooded');
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const timer = setTimeout(() => end('timed_out'), timeoutMs);
  const stop = (): void => end('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const { code, killedBy, failed } = await exitOf(child);
    // Before the streams are read to their end: a program left behind would hold them open.
    killEverything(child, mark);
    await drained(child);
    const output = new TextDecoder().decode(Buffer.concat(chunks));
    if (failed !== null) return { kind: 'not_started', code: null, output, reason: failed };
    return { kind: ended.by ?? (killedBy === null ? 'exited' : 'signalled'), code, output, reason: killedBy };
  } finally {
    clearTimeout(timer);
    if (killing !== null) clearTimeout(killing);
    signal.removeEventListener('abort', stop);
  }
};

const exitOf = (
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly killedBy: string | null; readonly failed: string | null }> =>
  new Promise(resolve => {
    child.once('error', error => resolve({ code: null, killedBy: null, failed: reasonOf(error) }));
    child.once('exit', (code, killedBy) => resolve({ code, killedBy, failed: null }));
  });

/** What is still in the pipes, for a moment; then they are closed, whoever holds their other ends. */
const drained = async (child: ChildProcess): Promise<void> => {
  const streams = [child.stdout, child.stderr].filter(stream => stream !== null);
  const closed = Promise.all(
    streams.map(stream => new Promise<void>(resolve => (stream.closed ? resolve() : stream.once('close', () => resolve())))),
  );
  await Promise.race([closed, new Promise(resolve => setTimeout(resolve, graceMs))]);
  for (const stream of streams) stream.destroy();
};

const killGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
  } catch {
    // Nobody is left in it.
  }
};

const killEverything = (child: ChildProcess, mark: string): void => {
  killGroup(child, 'SIGKILL');
  if (process.platform !== 'linux') return;
  // A program can leave its group, but not its environment; again until no new one appears.
  for (let round = 0; round < 5; round += 1) {
    const left = marked(mark);
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }
};

const marked = (mark: string): readonly number[] =>
  readdirSync('/proc')
    .filter(entry => /^\d+$/.test(entry))
    .filter(pid => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
      } catch {
        // Somebody else's, or gone.
        return false;
      }
    })
    .map(Number);
