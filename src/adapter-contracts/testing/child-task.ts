import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deferred } from './deferred.ts';

/** What a task in a child process may say to its parent. */
export interface TaskControl {
  /** Tells the parent that the task is at its starting line (or inside the section under test) and waits for `go`. Callable once. */
  ready(): Promise<void>;
}

/** A function that a module exports for `startTask`; its argument and result travel by structured clone. */
export type Task<Argument, Result> = (argument: Argument, control: TaskControl) => Promise<Result>;

export interface TaskRequest {
  /** URL of compiled JavaScript; child processes do not read TypeScript. */
  readonly module: string;
  /** Name of the exported `Task`. */
  readonly task: string;
  readonly argument: unknown;
}

export interface RunningTask<Result> {
  /** Resolves when the task calls `control.ready()`; rejects when it ends before that. */
  readonly ready: Promise<void>;
  /** Resolves with what the task returns; rejects when it throws or dies. */
  readonly result: Promise<Result>;
  /** Resolves when the process is gone, however it ended. */
  readonly exited: Promise<void>;
  go(): void;
  /** Sends a signal to the child alone. */
  signal(name: NodeJS.Signals): void;
}

/** What a child sends. */
export type TaskMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string };

/** Compiled code for a module of this room, also when the room itself runs from its TypeScript source. */
export const compiledModule = (name: string): string =>
  new URL(import.meta.url.endsWith('.ts') ? `../../../dist/adapter-contracts/testing/${name}.js` : `./${name}.js`, import.meta.url).href;

/** Starts one exported function in a Node process of its own. End it with `go` or `signal('SIGKILL')`; it also ends with its parent. */
export const startTask = <Result>(request: TaskRequest): RunningTask<Result> => {
  // Options of this process (a test runner's loaders, import conditions) must not reach code that is compiled already.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = fork(fileURLToPath(compiledModule('child-task-entry')), [], { execArgv: [], env, serialization: 'advanced' });
  const ready = deferred<void>();
  const result = deferred<Result>();
  const exited = deferred<void>();
  const fail = (reason: Error): void => {
    ready.reject(reason);
    result.reject(reason);
  };
  child.on('message', (message: TaskMessage) => {
    if (message.kind === 'ready') ready.resolve();
    else if (message.kind === 'result') result.resolve(message.value as Result);
    else fail(new Error(`task '${request.task}' failed in its process: ${message.message}`));
  });
  child.on('error', fail);
  child.on('exit', (code, signal) => {
    fail(new Error(`task '${request.task}' ended without a result (exit code ${code}, signal ${signal})`));
    exited.resolve();
  });
  // A caller that kills the child on purpose awaits neither promise; that must not count as an unhandled rejection.
  ready.promise.catch(() => undefined);
  result.promise.catch(() => undefined);
  child.send(request);
  return {
    ready: ready.promise,
    result: result.promise,
    exited: exited.promise,
    go: () => void child.send('go'),
    signal: name => void child.kill(name),
  };
};

/** Starts a task in several processes, lets all go at once when every one is ready, and gathers what they return. */
export const raceTasks = async <Result>(requests: readonly TaskRequest[]): Promise<readonly Result[]> => {
  const tasks = requests.map(request => startTask<Result>(request));
  try {
    await Promise.all(tasks.map(task => task.ready));
    for (const task of tasks) task.go();
    return await Promise.all(tasks.map(task => task.result));
  } finally {
    // Winners have ended by themselves; after a failure the others are still there.
    for (const task of tasks) task.signal('SIGKILL');
    await Promise.all(tasks.map(task => task.exited));
  }
};
