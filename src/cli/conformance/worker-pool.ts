import { startWorker, type Worker } from './worker-process.ts';

const idle: Worker[] = [];

/** Lends worker processes that have `root` open; they are kept for the next race, because starting them costs more than the race itself. */
export const withWorkers = async <T>(root: string, count: number, work: (workers: readonly Worker[]) => Promise<T>): Promise<T> => {
  const workers = await Promise.all(Array.from({ length: count }, async () => idle.pop() ?? startWorker({})));
  try {
    await Promise.all(workers.map(worker => worker.send({ open: root })));
    return await work(workers);
  } finally {
    await Promise.all(workers.map(worker => worker.send({ close: true })));
    idle.push(...workers);
  }
};

/** Ends the processes that wait for another race. */
export const endWorkers = async (): Promise<void> => {
  await Promise.all(idle.splice(0).map(worker => worker.end()));
};
