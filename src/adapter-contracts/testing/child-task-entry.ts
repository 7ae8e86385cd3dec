import { once } from 'node:events';
import type { Task, TaskMessage, TaskRequest } from './child-task.ts';

// The process that `startTask` forks: it runs one exported function and reports how that went.

const send = (message: TaskMessage): Promise<void> =>
  new Promise((resolve, reject) => process.send?.(message, undefined, undefined, error => (error === null ? resolve() : reject(error))));

const run = async (request: TaskRequest): Promise<void> => {
  const module = (await import(request.module)) as Record<string, Task<unknown, unknown> | undefined>;
  const task = module[request.task];
  if (typeof task !== 'function') throw new Error(`${request.module} exports no function '${request.task}'`);
  const value = await task(request.argument, {
    async ready() {
      const go = once(process, 'message');
      await send({ kind: 'ready' });
      await go;
    },
  });
  await send({ kind: 'result', value });
};

// An orphan must not stay behind and hold locks.
process.on('disconnect', () => process.exit(1));
const [request] = (await once(process, 'message')) as [TaskRequest];
try {
  await run(request);
  process.exit(0);
} catch (error) {
  await send({ kind: 'error', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exit(1);
}
