import { appendFileSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '#adapter-contracts';
import { withFileLock } from './file-lock.ts';
import { localPrincipal } from './local-principal.ts';
import { readPrincipalFile } from './principal-file.ts';
import { openRecoveryNotes } from './recovery-notes.ts';
import { vaultId, vaultStateDir } from './vault-state-dir.ts';

const scratch = () => mkdtempSync(join(tmpdir(), 'sheaf-state-'));

test('the machine state is found by SHEAF_STATE_DIR, then XDG_STATE_HOME, then the home directory', () => {
  const root = scratch();
  const id = vaultId(root);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(vaultStateDir(root, { SHEAF_STATE_DIR: '/state', XDG_STATE_HOME: '/xdg' })).toBe(`/state/${id}`);
  expect(vaultStateDir(root, { XDG_STATE_HOME: '/xdg' })).toBe(`/xdg/sheaf/${id}`);
  expect(vaultStateDir(root, { XDG_STATE_HOME: 'relative' })).toBe(join(homedir(), '.local/state/sheaf', id));
});

test('a vault has one id by every name, and a copy of it has another', () => {
  const parent = scratch();
  mkdirSync(join(parent, 'vault'));
  mkdirSync(join(parent, 'clone'));
  symlinkSync(join(parent, 'vault'), join(parent, 'link'));
  expect(vaultId(join(parent, 'link'))).toBe(vaultId(join(parent, 'vault')));
  expect(vaultId(join(parent, 'clone'))).not.toBe(vaultId(join(parent, 'vault')));
});

test('machine state inside the vault is refused, because it would travel with it', () => {
  const root = scratch();
  expect(() => vaultStateDir(root, { SHEAF_STATE_DIR: join(root, 'state') })).toThrow(/inside the vault/);
});

test('the local person is named by the uid, whatever the environment says', () => {
  const before = process.env.USER;
  process.env.USER = 'mallory';
  try {
    expect(localPrincipal('ws-a')).toEqual({
      id: `local:${userInfo().username}`,
      kind: 'human',
      workspaceIds: ['ws-a'],
      capabilities: ['*:*'],
      authentication: { provider: 'os', assurance: 'verified' },
    });
  } finally {
    if (before === undefined) delete process.env.USER;
    else process.env.USER = before;
  }
});

test('a principal file gives its JSON value, null for none, and refuses kind system from callers not declared trusted', () => {
  const file = join(scratch(), 'principal.json');
  writeFileSync(file, 'null');
  expect(readPrincipalFile(file)).toBeNull();
  writeFileSync(file, '{"id":"u1"}');
  expect(readPrincipalFile(file)).toEqual({ id: 'u1' });
  writeFileSync(file, '{"id":"root","kind":"system"}');
  expect(() => readPrincipalFile(file)).toThrow(/--trusted-caller/);
  expect(readPrincipalFile(file, { trusted: true })).toEqual({ id: 'root', kind: 'system' });
  writeFileSync(file, '{');
  expect(() => readPrincipalFile(file)).toThrow(/principal\.json' is not a readable JSON file/);
  expect(() => readPrincipalFile(`${file}.absent`)).toThrow(/not a readable JSON file/);
});

test('recovery notes keep resolved outcomes in order, leave live writers out, and count damaged lines', () => {
  const stateDir = join(scratch(), 'state');
  const notes = openRecoveryNotes({ stateDir, clock: systemClock });
  const report = { workspace_id: 'ws-a', path: 'a.md', event_id: 'e1', outcome: 'rolled_back' } as const;
  notes.append([{ ...report, outcome: 'in_flight' }]);
  expect(() => statSync(stateDir)).toThrow();
  notes.append([report]);
  appendFileSync(join(stateDir, 'recovery.jsonl'), 'half a li\n');
  notes.append([{ ...report, event_id: 'e2', outcome: 'committed' }]);
  const { notes: kept, unreadable } = notes.read();
  expect(kept.map(note => [note.event_id, note.outcome])).toEqual([
    ['e1', 'rolled_back'],
    ['e2', 'committed'],
  ]);
  expect(unreadable).toBe(1);
  expect(statSync(join(stateDir, 'recovery.jsonl')).mode & 0o777).toBe(0o600);
});

test('a file lock admits one caller at a time, and a failing one does not block the next', async () => {
  const lock = join(scratch(), 'lock');
  const order: string[] = [];
  const first = withFileLock(lock, async () => {
    order.push('first in');
    await new Promise(resolve => setTimeout(resolve, 30));
    order.push('first out');
    throw new Error('broke');
  });
  const second = withFileLock(lock, () => order.push('second'));
  await expect(first).rejects.toThrow('broke');
  await second;
  expect(order).toEqual(['first in', 'first out', 'second']);
});
