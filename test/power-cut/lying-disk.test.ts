import { expect, test } from 'vitest';
import { Violation } from './check-vault.ts';
import { noCounts, runPlan } from './cut-run.ts';
import type { Lie } from './watched-file-system.ts';
import type { WorkloadSize } from './workload.ts';

const usual: WorkloadSize = { processes: 2, clients: 2, requests: 4 };
const crowded: WorkloadSize = { processes: 2, clients: 8, requests: 4 };

/**
 * Each is a way in which a disk, or code that forgot a call, breaks a promise: the simulation must notice, or its silence means nothing. The lock of the
 * log is not among them: in one thread nothing comes between looking where the log ends and writing there, so only races of real processes test it.
 */
const lies: readonly (readonly [what: string, lie: Lie, size: WorkloadSize])[] = [
  ['the names of documents', { directorySync: path => !path.includes('/.ssss') }, usual],
  ['the names of log segments', { directorySync: path => path.endsWith('/events') }, usual],
  ['the names of journals', { directorySync: path => path.endsWith('/journal') }, usual],
  ['the lines of the log', { fileSync: path => path.includes('/events/') }, usual],
  ['the content of documents', { fileSync: path => path.includes('/tmp/') }, usual],
  ['the intents in the journal', { fileSync: path => path.endsWith('.journal') }, usual],
  ['the life of the owner of a journal', { lock: path => path.endsWith('.journal') }, usual],
  // With the locks of paths alone broken, the journals of living writers still keep others away.
  ['every lock on a path', { lock: path => path.endsWith('paths.lock') || path.endsWith('.journal') }, crowded],
];

const mostSeeds = 60;

const firstViolation = async (lie: Lie, size: WorkloadSize): Promise<string | null> => {
  for (let seed = 1; seed <= mostSeeds; seed += 1) {
    const cutShare = lie.lock === undefined ? 0.3 : 0;
    try {
      await runPlan({ name: 'lied to', seed, size, cutShare, againShare: 0, death: false, lie }, noCounts());
    } catch (error) {
      if (error instanceof Violation) return error.message;
      throw error;
    }
  }
  return null;
};

test.each(lies)('the simulation notices a disk that lies about %s', async (what, lie, size) => {
  const violation = await firstViolation(lie, size);
  if (process.env.SHOW) console.log(what, violation);
  expect(violation, `no violation within ${mostSeeds} seeds`).not.toBeNull();
});
