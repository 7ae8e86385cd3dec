import { describe, expect, test } from 'vitest';
import type { FileSystem } from '#adapter-contracts';
import { createFaultyFileSystem, createMemoryFileSystem, type MemoryFileSystem } from '#adapter-contracts/testing';
import { type Answer, createHistory, type History, type Request } from '../crash/history.ts';
import { changingCalls, type FailingDisk, failingDisk, lookingCalls } from './failing-disk.ts';
import { deleteDocument, patchDocument, recordEvent, send, writeRule, writeThread } from './requests.ts';
import { checkSimulated, makeRoot, openSimulatedVault, type SimulatedVault } from './simulated-vault.ts';

const soaking = process.env.SHEAF_SOAK !== undefined;
const startSeed = Number(process.env.SHEAF_SEED ?? Date.now() % 1_000_000);
/** Full disk, used-up quota, a disk that turned read-only, a disk that breaks. */
const codes = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'];

/** One of every kind of change, some at once. */
const workload = async (history: History, vault: SimulatedVault): Promise<void> => {
  const one = (request: Request): Promise<Answer> => send(history, vault, request);
  await one(writeRule('rules/a.md', 'a1'));
  await one(writeRule('rules/a.md', 'a2'));
  await Promise.all(
    [
      writeRule('rules/c.md', 'c1'),
      writeRule('deep/er/b.md', 'b1'),
      recordEvent('shop/door'),
      patchDocument('rules/a.md', { scope: 's' }),
    ].map(one),
  );
  await one(deleteDocument('rules/c.md'));
  await one(writeThread('threads/t.md'));
  await one(patchDocument('threads/t.md', { __body__: '### turn 1\nhello\n' }));
  await one(deleteDocument('deep/er/b.md'));
  await one(writeRule('rules/c.md', 'c2'));
};

/** Runs the workload on a disk that fails, then mends the disk: the same open vault must go on, and a new opening find everything as promised. */
const runOn = async (
  failing: (inner: FileSystem) => Pick<FailingDisk, 'fileSystem' | 'mend'>,
  code: string,
  context: string,
): Promise<void> => {
  const disk = createMemoryFileSystem();
  makeRoot(disk);
  const { fileSystem, mend } = failing(disk.fileSystem);
  const history = createHistory();
  const vault = await openSimulatedVault(disk, fileSystem).catch((error: unknown) => {
    expect(String(error), `${context}: an opening that fails says why`).toContain(code);
    return null;
  });
  if (vault !== null) {
    await workload(history, vault);
    const refused = [...history.told.values()].flatMap(({ error }) => (error?.code === 'internal_error' ? [error] : []));
    for (const { message } of refused) expect(message, `${context}: a refusal says why`).toContain(code);
    mend();
    if (!vault.readOnly) await goesOn(history, disk, vault, context);
    await checkSimulated(history, disk, vault);
    await vault.close();
  }
  const again = await openSimulatedVault(disk);
  const undecided = (await again.recover()).filter(({ outcome }) => outcome === 'conflict' || outcome === 'in_flight');
  expect(undecided, `${context}: everything is decided`).toEqual([]);
  await checkSimulated(history, disk, again);
  await goesOn(history, disk, again, context);
  await again.close();
};

/** Without a repair: whatever is sent first finds everything decided, every path can be written, and what was refused can be sent again. */
const goesOn = async (history: History, disk: MemoryFileSystem, vault: SimulatedVault, context: string): Promise<void> => {
  const refused = [...history.told].filter(([, answer]) => answer.error?.code === 'internal_error').map(([key]) => key);
  for (const path of ['rules/after.md', 'rules/a.md', 'rules/c.md', 'deep/er/b.md']) {
    const { error } = await send(history, vault, writeRule(path, `afterwards ${context}`));
    expect(error, `${context}: ${path}`).toBeUndefined();
    if (path === 'rules/after.md') await checkSimulated(history, disk, vault);
  }
  for (const key of refused) {
    const again = await send(history, vault, history.tried.get(key)!.request);
    expect(again.error?.code, `${context}: ${key} again: ${again.error?.message}`).not.toBe('internal_error');
  }
};

const count = async (calls: ReadonlySet<string>): Promise<number> => {
  let disk: FailingDisk | null = null;
  await runOn(inner => (disk = failingDisk(inner, { from: Number.POSITIVE_INFINITY, code: 'none', calls })), 'none', 'counting');
  return disk!.calls();
};

/** Every code at every call when soaking; else each call with one of them. */
const codesAt = (call: number): readonly string[] => (soaking ? codes : codes.slice(call % codes.length).slice(0, 1));

describe('a disk that fails', () => {
  test('at any one changing call: the change is refused for that reason or made, and nothing else suffers', async () => {
    const last = await count(changingCalls);
    for (let call = 1; call <= last; call += 1) {
      for (const code of codesAt(call)) {
        await runOn(inner => failingDisk(inner, { from: call, code, calls: changingCalls }), code, `${code} at changing call ${call}`);
      }
    }
  }, 600_000);

  test('with half of what was written there all the same: no torn document and no torn event counts', async () => {
    const last = await count(new Set(['write']));
    for (let call = 1; call <= last; call += 1) {
      for (const code of codesAt(call)) {
        const half = (inner: FileSystem) => {
          let mended = false;
          const counts = ({ name }: { readonly name: string }): boolean => name === 'write' && !mended;
          const mend = (): void => {
            mended = true;
          };
          return { ...createFaultyFileSystem(inner, { failAt: call, code, tornShare: 0.5, counts }), mend };
        };
        await runOn(half, code, `${code} in the middle of write ${call}`);
      }
    }
  }, 600_000);

  test('from any changing call on, for a while: once it takes writes again, so does the vault that stayed open', async () => {
    const last = await count(changingCalls);
    for (let call = 1; call <= last; call += 1) {
      for (const code of codesAt(call)) {
        const whole = (inner: FileSystem) =>
          failingDisk(inner, { from: call, until: Number.POSITIVE_INFINITY, code, calls: changingCalls });
        await runOn(whole, code, `${code} from changing call ${call} on`);
      }
    }
  }, 600_000);

  test('at any one call that only looks: the change is refused for that reason or made', async () => {
    const last = await count(lookingCalls);
    for (let call = 1; call <= last; call += soaking ? 1 : 7) {
      const from = soaking ? call : call + (startSeed % 7);
      await runOn(inner => failingDisk(inner, { from, code: 'EIO', calls: lookingCalls }), 'EIO', `EIO at looking call ${from}`);
    }
  }, 600_000);
});
