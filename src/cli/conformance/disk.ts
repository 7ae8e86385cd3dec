import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, type JsonMap } from './json.ts';
import { runSheaf } from './sheaf-process.ts';
import type { Disk } from './vault-under-test.ts';
import { startWorker } from './worker-process.ts';

/** What can be done to a vault that is a directory: kill its writers, tear its log, delete what is derived. */
export const createDisk = (root: string): Disk => ({
  root,
  crash: async (at, request) => {
    const worker = await startWorker({ root, at, signal: 'SIGKILL' });
    await worker.send({ submit: request }).catch(() => undefined);
    const how = await worker.ended;
    if (how !== 'SIGKILL') throw new Error(`the writer should have died ${at}, but ended with ${how}`);
  },
  stall: async (at, request, meanwhile) => {
    const worker = await startWorker({ root, at, signal: 'SIGSTOP' });
    const answer = worker.send({ submit: request });
    await worker.stopped;
    try {
      await meanwhile();
    } finally {
      worker.goOn();
    }
    const response = await answer;
    await worker.end();
    if (!isMap(response)) throw new Error('the stalled writer gave no answer');
    return response as JsonMap;
  },
  tearLog: async text => appendFile(await newestSegment(root), text),
  removeDirectory: path => rm(join(root, path), { recursive: true, force: true }),
  cli: async args => {
    const { status, stderr } = await runSheaf(['--vault', root, ...args], { root });
    if (status !== 0) throw new Error(`sheaf ${args.join(' ')} ended with ${status}: ${stderr}`);
  },
});

const newestSegment = async (root: string): Promise<string> => {
  const directory = join(root, '.ssss/events');
  const last = (await readdir(directory))
    .filter(name => name.endsWith('.jsonl'))
    .sort()
    .at(-1);
  if (last === undefined) throw new Error('the vault has no log segment');
  return join(directory, last);
};

/** Every regular file below the vault, but the reserved places. Read without the product, so that it cannot hide a change. */
export const filesBelow = async (root: string, below = ''): Promise<ReadonlyMap<string, Uint8Array>> => {
  const files = new Map<string, Uint8Array>();
  const visit = async (directory: string): Promise<void> => {
    for (const entry of await readdir(join(root, directory), { withFileTypes: true }).catch(() => [])) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory() && !/^\.(git|ssss|ssss-.*)$/.test(entry.name)) await visit(path);
      else if (entry.isFile() && path !== '.gitignore') files.set(path, await readFile(join(root, path)));
    }
  };
  await visit(below);
  return files;
};
