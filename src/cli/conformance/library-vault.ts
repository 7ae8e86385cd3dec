import { createHash } from 'node:crypto';
import { type CanonicalEvent, calls, runCall, type Vault } from '#api';
import { isVaultError } from '#errors';
import { outcomeOf } from './check-response.ts';
import type { Json, JsonMap } from './json.ts';
import { baseline } from './parse-step.ts';
import type { Given } from './scenario.ts';
import type { LeaseAnswer, RaceWorker, Request, VaultUnderTest } from './vault-under-test.ts';

/** What a library vault needs from whoever opened it. */
export interface LibraryParts {
  readonly vault: Vault;
  /** Reads stored files behind the contract's back. */
  files(): Promise<ReadonlyMap<string, Uint8Array>>;
  outside(path: string, text: string | null): Promise<void>;
  close(): Promise<void>;
}

/** The runner's view of a vault that is open in this process. */
export const libraryVault = (parts: LibraryParts): Omit<VaultUnderTest, 'controls' | 'disk'> => {
  const { vault } = parts;
  let cursor: string | undefined;
  const eventsFrom = async (start: string | undefined): Promise<readonly CanonicalEvent[]> => {
    const found: CanonicalEvent[] = [];
    for await (const { event, cursor: next } of vault.events(start === undefined ? {} : { cursor: start })) {
      found.push(event);
      cursor = next;
    }
    return found;
  };
  const submit = async (request: Request): Promise<JsonMap> => execute(vault, request);
  return {
    submit,
    lease: (request, principal) => leaseCall(vault, request, principal),
    race: workers =>
      Promise.all(workers.map(worker => runWorker(worker, submit, (request, principal) => leaseCall(vault, request, principal)))),
    text: async path => {
      const bytes = (await parts.files()).get(path);
      return bytes === undefined ? null : Buffer.from(bytes).toString('utf8');
    },
    tree: async () => new Map([...(await parts.files())].map(([path, bytes]) => [path, sha256(bytes)])),
    newEvents: () => eventsFrom(cursor),
    allEvents: () => eventsFrom(undefined),
    library: async () => vault,
    outside: (path, text) => parts.outside(path, text),
    close: () => parts.close(),
  };
};

export const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Sends one request through the library; a raw line exists on the command line only. */
export const execute = async (vault: Vault, request: Request): Promise<JsonMap> => {
  if (request.line !== undefined) throw new Error('a raw line can only be sent to the command line');
  const response = await vault.execute(request.envelope, { principal: request.principal, ...(request.context as object) });
  // Compared as JSON, as every client sees it.
  return JSON.parse(JSON.stringify(response)) as JsonMap;
};

/** Runs a worker's requests one after the other; with `retry`, again after each lost compare-and-swap. */
export const runWorker = async (
  worker: RaceWorker,
  submit: (request: Request) => Promise<JsonMap>,
  lease: (request: JsonMap, principal: Json) => Promise<LeaseAnswer>,
): Promise<readonly JsonMap[]> => {
  if (worker.lease !== undefined) return [(await lease(worker.lease.request, worker.lease.principal)) as JsonMap];
  const answers: JsonMap[] = [];
  for (const makeRequest of worker.requests) {
    let answer = await submit(makeRequest(0));
    for (let attempt = 1; worker.retry && outcomeOf(answer) === 'version_conflict' && attempt < 500; attempt += 1) {
      answer = await submit(makeRequest(attempt));
    }
    answers.push(answer);
  }
  return answers;
};

export const leaseCall = async (vault: Vault, request: JsonMap, principal: Json): Promise<LeaseAnswer> => {
  const { do: verb, ttl, ...input } = request;
  const withTtl = ttl === undefined ? input : { ...input, ttl_seconds: ttl };
  try {
    // The caller is whatever the scenario says, also when it is no principal at all.
    const caller = { principal } as Parameters<typeof runCall>[2];
    if (verb === 'release') {
      await runCall(calls['lease.release'], vault, caller, input);
      return { released: true };
    }
    const lease = await (verb === 'renew'
      ? runCall(calls['lease.renew'], vault, caller, withTtl)
      : runCall(calls['lease.acquire'], vault, caller, withTtl));
    return { lease: { ...lease } };
  } catch (error) {
    if (isVaultError(error)) return { code: error.code };
    throw error;
  }
};

/** Writes the documents a scenario starts from. Throws when one is refused: the scenario itself is wrong then. */
export const seedDocuments = async (vault: Vault, given: Given): Promise<void> => {
  for (const [path, content] of Object.entries(given.documents ?? {})) {
    const envelope = { type: 'operation', workspace_id: vault.workspaceId, idempotency_key: `given ${path}`, path, content };
    const response = await execute(vault, { envelope, principal: { ...baseline, workspaceIds: [vault.workspaceId] }, context: {} });
    if (response.success !== true) throw new Error(`given document '${path}' was refused: ${JSON.stringify(response.error)}`);
  }
};
