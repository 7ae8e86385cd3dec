import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { packageRoot } from '../package-root.ts';
import type { Json } from './json.ts';
import type { CrashPoint } from './scenario.ts';

/** A process of its own that has the vault open through the library. */
export interface Worker {
  /** Sends one message, gives the answer; rejects when the process ends without one. */
  send(message: object): Promise<Json>;
  /** Resolves when the process is about to stop itself. */
  readonly stopped: Promise<void>;
  goOn(): void;
  end(): Promise<void>;
  /** How it ended: a signal, or an exit status. */
  readonly ended: Promise<string>;
}

/** Starts a worker; with `at`, one that sends itself `signal` at that point of its next commit. Compiled code, so that it runs outside the test runner. */
export const startWorker = async (options: {
  readonly root?: string;
  readonly at?: CrashPoint;
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
}): Promise<Worker> => {
  const child = spawn(process.execPath, [`${packageRoot}/dist/cli/conformance/vault-worker.js`, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: { resolve(value: Json): void; reject(error: Error): void }[] = [];
  let markStopped: () => void;
  const stopped = new Promise<void>(resolve => {
    markStopped = resolve;
  });
  const ready = new Promise<Json>((resolve, reject) => waiting.push({ resolve, reject }));
  createInterface({ input: child.stdout }).on('line', line => {
    if (line === 'stopping') markStopped();
    else waiting.shift()?.resolve(JSON.parse(line) as Json);
  });
  const ended = new Promise<string>(resolve => {
    child.once('close', (status, signal) => {
      for (const each of waiting.splice(0)) each.reject(new Error(`the worker ended with ${signal ?? status}`));
      resolve(signal ?? String(status));
    });
  });
  child.stdin.on('error', () => undefined);
  await ready;
  return {
    send: message =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(message)}\n`);
      }),
    stopped,
    goOn: () => void child.kill('SIGCONT'),
    end: async () => {
      child.stdin.end();
      await ended;
    },
    ended,
  };
};
