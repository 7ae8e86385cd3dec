import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVault } from '#open-vault';
import { createDisk, filesBelow } from './disk.ts';
import { type ExecSession, startExec } from './exec-session.ts';
import { asText, type Json, type JsonMap } from './json.ts';
import { libraryVault, runWorker, seedDocuments } from './library-vault.ts';
import type { Scenario } from './scenario.ts';
import { type Submitter, sharingSurface } from './shared-vault.ts';
import { runSheaf } from './sheaf-process.ts';
import { makeLinks, makeVaultDirectory, removeVaultDirectory, writeOutside } from './vault-directory.ts';
import type { LeaseAnswer, RaceWorker, Request, Surface, VaultUnderTest } from './vault-under-test.ts';

/** The command line: requests go through running `sheaf exec` processes, one per principal, while this process looks on through the library. */
export const execSurface = (): Surface => sharingSurface('exec', openAlone, createSessions);

const openAlone = async (scenario: Scenario): Promise<VaultUnderTest> => {
  const { given } = scenario;
  const root = await makeVaultDirectory(given);
  try {
    const vault = await openVault({ root, stateDir: `${root}.state` });
    const sessions = createSessions(root);
    const close = async (): Promise<void> => {
      await sessions.end();
      await vault.close();
      await removeVaultDirectory(root);
    };
    const under = libraryVault({ vault, files: () => filesBelow(root), outside: (path, text) => writeOutside(root, path, text), close });
    const lease = (request: JsonMap, principal: Json) => leaseCommand(root, request, principal);
    const alone = {
      ...under,
      submit: (request: Request) => sessions.submit(request),
      disk: createDisk(root),
      lease,
      race: (workers: readonly RaceWorker[]) => execRace(root, workers),
    };
    await seedDocuments(vault, given);
    await alone.newEvents();
    await makeLinks(root, given);
    return alone;
  } catch (error) {
    await removeVaultDirectory(root);
    throw error;
  }
};

/** More running processes than this would only take memory: scenarios mostly act as one principal. */
const maxRunning = 4;

/** One `exec` process per principal, started when first needed; the one unused for longest ends when there are too many. */
const createSessions = (root: string): Submitter => {
  const running = new Map<string, Promise<ExecSession>>();
  const sessionFor = async (principal: Json): Promise<ExecSession> => {
    const id = JSON.stringify(principal);
    const session = running.get(id) ?? startExec(root, principal);
    // Set anew, so that the order of the map is the order of use.
    running.delete(id);
    running.set(id, session);
    const [oldest] = running;
    if (oldest !== undefined && running.size > maxRunning) {
      running.delete(oldest[0]);
      await (await oldest[1]).end();
    }
    return session;
  };
  return {
    submit: async request => (await sessionFor(request.principal)).send(lineOf(request)),
    end: async () => {
      for (const session of running.values()) await (await session).end();
    },
  };
};

const lineOf = ({ line, envelope, context }: Request): string => {
  if (line !== undefined) return line;
  const { ifMatch, correlationId, causationId, confirmation } = context;
  if (confirmation !== undefined) throw new Error('a confirmation needs a person at a terminal, or the library');
  const beside = { if_match: ifMatch, correlation_id: correlationId, causation_id: causationId };
  const present = Object.entries(beside).filter(([, value]) => value !== undefined);
  return JSON.stringify(present.length === 0 ? envelope : { envelope, ...Object.fromEntries(present) });
};

const execRace = async (root: string, workers: readonly RaceWorker[]): Promise<readonly (readonly JsonMap[])[]> => {
  const racers = workers.map(() => createSessions(root));
  try {
    return await Promise.all(
      workers.map((worker, index) =>
        runWorker(
          worker,
          request => racers[index]!.submit(request),
          (request, principal) => leaseCommand(root, request, principal),
        ),
      ),
    );
  } finally {
    await Promise.all(racers.map(racer => racer.end()));
  }
};

const leaseCommand = async (root: string, request: JsonMap, principal: Json): Promise<LeaseAnswer> => {
  const directory = await mkdtemp(join(tmpdir(), 'sheaf-principal-'));
  const file = join(directory, 'principal.json');
  await writeFile(file, JSON.stringify(principal));
  const { do: verb, target, lease_id, operation_id, ttl } = request;
  const what = asText(verb === 'acquire' ? target : lease_id);
  const args = ['lease', asText(verb), what, '--operation', asText(operation_id), ...(ttl === undefined ? [] : [`--ttl=${asText(ttl)}`])];
  const { status, stdout, stderr } = await runSheaf([...args, '--vault', root, '--json', '--principal', file, '--trusted-caller'], {
    root,
  });
  await rm(directory, { recursive: true, force: true });
  // A number out of range is wrong usage on the command line, and refused before the library sees it.
  if (status === 2) return { code: 'invalid_request' };
  if (status !== 0) return { code: /\[(\w+)\]/.exec(stderr)?.[1] ?? `exit ${status}: ${stderr}` };
  return verb === 'release' ? { released: true } : { lease: JSON.parse(stdout) as JsonMap };
};
