import { isVaultError } from '#errors';
import type { RuntimeHost } from '../daemon/runtime-host.ts';
import type { RunStep } from '../executors/executor.ts';
import { isoSeconds } from '../planning/firing.ts';
import { accepted, type Held, holderOf, readWork, workKey, writeHeld } from './held-task.ts';
import { stepsIn, stepText } from './run-record.ts';

const mostTries = 20;

/**
 * Appends a step to the record of a run (§11.8 step 6, §11.4). Throws `lease_conflict` once the claim is gone.
 *
 * @param key Two steps under one key are one; absent: each call is a step.
 */
export const reportStep = async (
  host: RuntimeHost,
  held: Held,
  runPath: string,
  step: RunStep,
  { key }: { readonly key?: string | undefined } = {},
): Promise<{ readonly number: number }> => {
  const own = key === undefined ? null : workKey('step', host.workspaceId, runPath, 'key', key);
  if (own !== null) {
    await host.leases.verify(host.workspaceId, held.taskPath, holderOf(held));
    const known = await numberOfStep(host, own);
    if (known !== null) return { number: known };
  }
  for (let tries = 1; ; tries += 1) {
    const run = await readWork(host, runPath);
    const number = run === null ? 1 : stepsIn(run.body) + 1;
    const now = host.now();
    const response = await writeHeld(host, held, {
      type: 'patch',
      path: runPath,
      key: own ?? workKey('step', host.workspaceId, runPath, number, run?.hash ?? null, step.name, step.text),
      ...(run === null ? {} : { ifMatch: run.hash }),
      patches: {
        status: 'running',
        step_count: number,
        timestamp: isoSeconds(now),
        ...provenanceOf(run?.data['provenance'], step.provenance),
        __body__: stepText(number, step, now),
      },
    });
    try {
      accepted(response);
      return { number };
    } catch (error) {
      // Another step of the same run came first.
      if (!isVaultError(error) || error.code !== 'version_conflict' || tries === mostTries) throw error;
    }
  }
};

/** Which step was appended under a key; null when none was. */
const numberOfStep = async (host: RuntimeHost, key: string): Promise<number | null> => {
  const event = await host.events.findByIdempotencyKey(host.workspaceId, key);
  if (event === null) return null;
  const run = await readWork(host, event.subject);
  return run === null ? 0 : stepsIn(run.body);
};

const mostSources = 200;

/** The run names everything that shaped any of its steps. */
const provenanceOf = (known: unknown, added: readonly string[] | undefined): { readonly provenance?: readonly string[] } => {
  if (added === undefined || added.length === 0) return {};
  const before = Array.isArray(known) ? known.filter((path): path is string => typeof path === 'string') : [];
  const all = [...new Set([...before, ...added])].slice(0, mostSources);
  return all.length === before.length ? {} : { provenance: all };
};
