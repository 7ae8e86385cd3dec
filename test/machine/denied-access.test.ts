import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { startChild } from '../crash/child-process.ts';
import { type Answer, checkPromises, createHistory, type History, type Request, remember } from '../crash/history.ts';
import { skipAloud } from '../crash/skip-aloud.ts';
import { deleteDocument, patchDocument, send, writeRule } from './requests.ts';

// Only to end what hangs: a machine that does much else takes a hundred times as long.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** Root may do everything, so root has somebody without its rights try; anybody else tries as themselves. */
const visitor = process.getuid?.() === 0 ? 65_534 : undefined;

/** Why rights cannot be tried out here, or null. */
const whyNot = (): string | null => {
  if (process.platform === 'win32') return 'Windows has other rights';
  if (visitor === undefined) return null;
  const { NODE_OPTIONS: _, ...env } = process.env;
  const tried = spawnSync(process.execPath, ['test/machine/visitor.mjs', '/', '/', '[]'], {
    uid: visitor,
    gid: visitor,
    env,
    encoding: 'utf8',
  });
  return tried.stderr.includes('holds no .ssss/workspace.json') ? null : 'another user cannot read this checkout';
};
let base = '';
let root = '';
let history: History;
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'sheaf-denied-'));
  chmodSync(base, 0o777);
  root = join(base, 'vault');
  await initVault({ root, workspaceId: 'ws-crash' });
  history = createHistory();
  const vault = await openVault({ root, stateDir: join(base, 'state') });
  for (const path of ['rules/a.md', 'other/b.md'])
    expect(await send(history, vault, writeRule(path, 'before'))).toMatchObject({ success: true });
  await vault.leases.acquire({
    workspace_id: 'ws-crash',
    target: 'other/b.md',
    principal_id: 'agent:x',
    operation_id: 'job',
    ttlSeconds: 3_600,
  });
  await vault.close();
});
afterEach(() => {
  allow(base);
  rmSync(base, { recursive: true, force: true });
});

/** A path and everything below it. */
const tree = (path: string): readonly string[] => [
  path,
  ...(lstatSync(path).isDirectory() ? readdirSync(path).flatMap(name => tree(join(path, name))) : []),
];
/** Hands the vault to whoever will visit it. */
const hand = (): void => {
  if (visitor !== undefined) for (const path of tree(root)) chownSync(path, visitor, visitor);
};
const deny = (path: string): void => {
  for (const one of tree(path)) chmodSync(one, lstatSync(one).isDirectory() ? 0o555 : 0o444);
};
const allow = (path: string): void => {
  chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) allow(join(path, name));
};

interface Report {
  readonly responses: readonly Answer[];
  readonly documents: {
    readonly value?: readonly { readonly path: string; readonly kind: string; readonly reason?: string }[];
    readonly error?: string;
  };
  readonly read: { readonly value?: string; readonly error?: string };
  readonly events: { readonly value?: readonly string[]; readonly error?: string };
  readonly status: { readonly value?: readonly unknown[]; readonly error?: string };
  readonly leases: { readonly value?: readonly { readonly target: string }[]; readonly error?: string };
  readonly notices: readonly { readonly kind: string; readonly message: string }[];
}

const visit = async (requests: readonly Request[]): Promise<Report> => {
  const args = [root, join(base, 'visitor-state'), JSON.stringify(requests)];
  const child = startChild('visitor', 'test/machine/visitor.mjs', args, visitor === undefined ? {} : { uid: visitor });
  expect(await child.ended, child.errors()).toBe(0);
  const report = child.lines[0] as Report;
  for (const [at, request] of requests.entries())
    remember(history, 'machine', [{ try: request }, { done: request.idempotency_key, response: report.responses[at] }]);
  return report;
};

/** What is found once everything may be written again: all as promised, and nothing left lying about. */
const checkAfterwards = async (): Promise<void> => {
  allow(root);
  const vault = await openVault({ root, stateDir: join(base, 'state') });
  await checkPromises(history, vault);
  expect((await vault.status()).rows).toEqual([]);
  expect(vault.recoveries, 'nothing was left half done').toEqual([]);
  await vault.close();
  expect(readdirSync(join(root, '.ssss-intents')).includes('tmp') ? readdirSync(join(root, '.ssss-intents', 'tmp')) : []).toEqual([]);
};

const expectReadable = (report: Report): void => {
  expect(report.documents.value?.map(({ path, kind }) => `${path} ${kind}`)).toEqual(['other/b.md document', 'rules/a.md document']);
  expect(report.read.value).toContain('before');
  expect(report.events.value, report.events.error).toEqual([...history.acknowledged.keys()]);
  expect(report.status.value, report.status.error).toEqual([]);
};
const expectRefused = (answer: Answer | undefined, reason: RegExp): void => {
  expect(answer?.error?.code).toBe('internal_error');
  expect(answer?.error?.message).toMatch(reason);
};
const everyKind = () => [
  writeRule('rules/a.md', 'changed'),
  writeRule('rules/new.md', 'new'),
  patchDocument('rules/a.md', { scope: 's' }),
  deleteDocument('rules/a.md'),
];

describe.skipIf(skipAloud('files that may not be written', whyNot()))('files that may not be written', () => {
  test.each([
    { what: 'the whole vault', denied: ['.'] },
    { what: '`.ssss`', denied: ['.ssss'] },
    { what: '`.ssss-intents`', denied: ['.ssss-intents'] },
    { what: 'the documents and `.ssss`', denied: ['.ssss', 'rules', 'other'] },
  ])('where $what may not be written, everything can be read, nothing is written, and the reason is said', async ({ denied }) => {
    hand();
    for (const name of denied) deny(join(root, name));
    const report = await visit(everyKind());
    for (const answer of report.responses) expectRefused(answer, /EACCES|may not write/);
    expectReadable(report);
    expect(
      report.leases.value?.map(({ target }) => target),
      report.leases.error,
    ).toEqual(['other/b.md']);
    expect(report.notices).toMatchObject([
      { kind: 'read_only', message: expect.stringContaining('Give this user the right to write there') },
    ]);
    await checkAfterwards();
  });

  test('where one directory may not be written, its documents stay as they are and all others can be changed', async () => {
    hand();
    chmodSync(join(root, 'rules'), 0o555);
    const report = await visit([...everyKind(), writeRule('other/b.md', 'before, and changed'), writeRule('more/c.md', 'new')]);
    for (const answer of report.responses.slice(0, 4)) expectRefused(answer, /EACCES|permission denied/);
    expect(report.responses.slice(4).map(({ error }) => error?.message)).toEqual([undefined, undefined]);
    await checkAfterwards();
  });

  test('where the root itself may not be written, no directory is made in it, and the ones there can be written', async () => {
    hand();
    chmodSync(root, 0o555);
    const report = await visit([writeRule('fresh/c.md', 'new'), writeRule('top.md', 'new'), ...everyKind()]);
    for (const answer of report.responses.slice(0, 2)) expectRefused(answer, /EACCES|permission denied/);
    expect(report.responses.slice(2).map(({ error }) => error?.message)).toEqual([undefined, undefined, undefined, undefined]);
    await checkAfterwards();
  });

  test('where one document may not be read, it is listed with the reason and refused, and all others go on', async () => {
    hand();
    chmodSync(join(root, 'rules/a.md'), 0o000);
    const report = await visit([...everyKind(), writeRule('other/b.md', 'before, and changed')]);
    expectRefused(report.responses[0], /EACCES|permission denied/);
    expect(report.responses[1]?.error).toBeUndefined();
    for (const answer of report.responses.slice(2, 4)) expectRefused(answer, /EACCES|permission denied/);
    expect(report.responses[4]?.error).toBeUndefined();
    const listed = report.documents.value?.find(({ path }) => path === 'rules/a.md');
    expect(listed).toMatchObject({ kind: 'unreadable', reason: expect.stringMatching(/EACCES|permission denied/) });
    await checkAfterwards();
  });
});
