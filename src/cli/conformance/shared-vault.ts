import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openVault } from '#open-vault';
import { filesBelow } from './disk.ts';
import { asText, isMap, type Json, type JsonMap } from './json.ts';
import { libraryVault, seedDocuments, sha256 } from './library-vault.ts';
import type { Given, Scenario } from './scenario.ts';
import { makeVaultDirectory, removeVaultDirectory, writeOutside } from './vault-directory.ts';
import type { Request, Surface, VaultUnderTest } from './vault-under-test.ts';

/** How requests reach the shared vault. */
export interface Submitter {
  submit(request: Request): Promise<JsonMap>;
  end(): Promise<void>;
}

/**
 * A surface over vaults on disk. Scenarios with the same registry and policy share one vault, each below a directory of its own and with keys of its own:
 * making a thousand vaults would take most of the time.
 */
export const sharingSurface = (
  name: Surface['name'],
  openAlone: (scenario: Scenario) => Promise<VaultUnderTest>,
  submitter?: (root: string) => Submitter,
): Surface => {
  const shared = new Map<string, Promise<SharedVault>>();
  let count = 0;
  return {
    name,
    exclusive: canShare,
    open: async scenario => {
      if (!canShare(scenario)) return openAlone(scenario);
      const { registry, policy } = scenario.given;
      const configuration = { ...(registry === undefined ? {} : { registry }), ...(policy === undefined ? {} : { policy }) };
      const key = JSON.stringify(configuration);
      const vault = shared.get(key) ?? openShared(configuration, submitter);
      shared.set(key, vault);
      count += 1;
      return inside(await vault, scenario, `c${count}`);
    },
    close: async () => {
      for (const vault of shared.values()) await (await vault).close();
    },
  };
};

interface SharedVault {
  readonly root: string;
  readonly vault: Awaited<ReturnType<typeof openVault>>;
  readonly under: Omit<VaultUnderTest, 'controls' | 'disk'>;
  submit(request: Request): Promise<JsonMap>;
  close(): Promise<void>;
}

const openShared = async (configuration: Given, submitter: ((root: string) => Submitter) | undefined): Promise<SharedVault> => {
  const root = await makeVaultDirectory(configuration);
  const vault = await openVault({ root, stateDir: `${root}.state` });
  const outside = (path: string, text: string | null) => writeOutside(root, path, text);
  const under = libraryVault({ vault, files: () => filesBelow(root), outside, close: async () => undefined });
  const sender = submitter?.(root) ?? { submit: under.submit, end: async () => undefined };
  const close = async (): Promise<void> => {
    await sender.end();
    await vault.close();
    await removeVaultDirectory(root);
  };
  return { root, vault, under, submit: request => sender.submit(request), close };
};

/** Only plain requests about plain documents: nothing that watches the whole vault, or names one document in another, or depends on where it lies. */
export const canShare = ({ given, steps }: Scenario): boolean => {
  const special = Object.keys(given).some(key => !['documents', 'files', 'registry', 'policy'].includes(key));
  const paths = [...Object.keys(given.documents ?? {}), ...Object.keys(given.files ?? {})];
  for (const step of steps) {
    if (step.kind === 'remember') continue;
    if (step.kind === 'outside') paths.push(step.path);
    else if (step.kind !== 'submit' || step.line !== undefined || !isMap(step.envelope ?? null)) return false;
    else if (step.expect.calls !== undefined || !plainKey((step.envelope as JsonMap).idempotency_key)) return false;
    else paths.push(asText((step.envelope as JsonMap).path));
  }
  const texts = JSON.stringify([
    given,
    steps.map(step => (step.kind === 'submit' ? without(step.envelope as JsonMap, 'path') : step.kind)),
  ]);
  const named = paths.filter(
    path => path.includes('/') && texts.split(JSON.stringify(path).slice(1, -1)).length > 1 + occurrences(given, path),
  );
  // References hold full paths, which another place would break.
  const linked = JSON.stringify(given.registry ?? []).includes('"references"');
  return (
    !special && !linked && !paths.some(path => path === 'index.md' || /(^|\/)\.(?!git\/|ssss[/-])[a-z]/i.test(path)) && named.length === 0
  );
};

const occurrences = (given: Scenario['given'], path: string): number =>
  [given.documents, given.files].filter(map => map !== undefined && Object.hasOwn(map, path)).length;

const plainKey = (key: Json | undefined): boolean => key === undefined || (typeof key === 'string' && /^[a-z][a-z0-9]{0,9}$/.test(key));

const without = (map: JsonMap, key: string): JsonMap => Object.fromEntries(Object.entries(map).filter(([name]) => name !== key));

const isSafe = (path: unknown): path is string =>
  typeof path === 'string' &&
  path !== '' &&
  !/[\\\p{Cc}]/u.test(path) &&
  path.split('/').every(segment => segment !== '' && !segment.startsWith('.'));

/** Moves a scenario's requests below a directory of their own, and what comes back out of it again. */
export const movedBelow = (place: string) => {
  const inner = (path: string): string => (isSafe(path) ? `${place}/${path}` : path);
  return {
    inner,
    outer: (path: string): string => (path.startsWith(`${place}/`) ? path.slice(place.length + 1) : path),
    moved: (envelope: JsonMap): JsonMap => ({
      ...envelope,
      ...(isSafe(envelope.path) ? { path: inner(envelope.path) } : {}),
      ...(typeof envelope.idempotency_key === 'string' && envelope.idempotency_key !== ''
        ? { idempotency_key: `${envelope.idempotency_key} ${place}` }
        : {}),
    }),
    back: <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(`${place}/`, '')) as T,
  };
};

/** The shared vault as one scenario sees it: paths below `place`, keys ending in it. */
const inside = async (shared: SharedVault, scenario: Scenario, place: string): Promise<VaultUnderTest> => {
  const { under, root, vault } = shared;
  const { inner, outer, moved, back } = movedBelow(place);
  const submit = async (request: Request): Promise<JsonMap> =>
    back(await shared.submit({ ...request, envelope: moved(request.envelope as JsonMap) }));
  const view: VaultUnderTest = {
    ...under,
    submit,
    text: path => readFile(join(root, inner(path)), 'utf8').catch(() => null),
    tree: async () => new Map([...(await filesBelow(root, place))].map(([path, bytes]) => [outer(path), sha256(bytes)])),
    newEvents: async () => back(await under.newEvents()),
    outside: (path, text) => under.outside(inner(path), text),
    close: async () => undefined,
  };
  const { documents = {}, files = {} } = scenario.given;
  for (const [path, content] of Object.entries(files)) await writeOutside(root, inner(path), content);
  const relocated = Object.fromEntries(Object.entries(documents).map(([path, content]) => [inner(path), content]));
  await seedDocuments(vault, { documents: relocated });
  await under.newEvents();
  return view;
};
