import type { JsonMap } from './json.ts';
import { runWorker } from './library-vault.ts';
import type { LeaseAnswer, RaceWorker } from './vault-under-test.ts';
import { withWorkers } from './worker-pool.ts';

/** Runs each worker in a process of its own; all have the vault open before the first request goes out. */
export const workerRace = (root: string, workers: readonly RaceWorker[]): Promise<readonly (readonly JsonMap[])[]> =>
  withWorkers(root, workers.length, processes =>
    Promise.all(
      workers.map((worker, index) => {
        const process = processes[index]!;
        const submit = async (request: object): Promise<JsonMap> => (await process.send({ submit: request })) as JsonMap;
        const lease = async (request: JsonMap, principal: unknown) =>
          (await process.send({ lease: request, principal })) as unknown as LeaseAnswer;
        return runWorker(worker, submit, lease);
      }),
    ),
  );
