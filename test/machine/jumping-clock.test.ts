import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Clock } from '#adapter-contracts';
import { fakeClock, type Random, seededRandom } from '#adapter-contracts/testing';
import type { Vault } from '#api';
import { isVaultError } from '#errors';
import { initVault, openVault } from '#open-vault';
import { startChild } from '../crash/child-process.ts';
import { type Answer, checkPromises, createHistory, type History, remember } from '../crash/history.ts';
import { deleteDocument, patchDocument, recordEvent, send, writeRule } from './requests.ts';

// Only to end what hangs: a machine that does much else takes a hundred times as long.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const startSeed = Number(process.env.SHEAF_SEED ?? Date.now() % 1_000_000);
const rounds = process.env.SHEAF_SOAK ? 5_000 : 300;
const hour = 3_600_000;
const year = 365 * 24 * hour;
const jumps = [-hour, year, -year, hour, -1, 0, 1, 25 * hour];

let base = '';
let root = '';
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'sheaf-clock-'));
  root = join(base, 'vault');
  await initVault({ root, workspaceId: 'ws-crash' });
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const open = (clock: Clock): Promise<Vault> => openVault({ root, stateDir: join(base, 'state'), clock });

/** Jumps whenever somebody looks at it: also in the middle of a commit. */
const jumpingClock = (random: Random): Clock => {
  const clock = fakeClock();
  return {
    now() {
      if (random() < 0.3) clock.advance(jumps[Math.floor(random() * jumps.length)]!);
      return clock.now();
    },
  };
};

const change = async (history: History, vault: Vault, random: Random): Promise<void> => {
  const path = `rules/${['a', 'b', 'c'][Math.floor(random() * 3)]}.md`;
  const roll = random();
  if (roll < 0.5) await send(history, vault, writeRule(path, `text ${random()}`));
  else if (roll < 0.7) await send(history, vault, patchDocument(path, { scope: `scope ${random()}` }));
  else await send(history, vault, roll < 0.85 ? deleteDocument(path) : recordEvent('shop/door'));
};

test(`a clock that jumps at every look changes no promise: order is the order of commits (seed ${startSeed})`, async () => {
  const random = seededRandom(startSeed);
  const vault = await open(jumpingClock(random));
  const history = createHistory();
  const followed: string[] = [];
  let cursor: string | undefined;
  for (let round = 0; round < rounds / 10; round += 1) {
    await Promise.all(Array.from({ length: 10 }, () => change(history, vault, random)));
    for await (const { event, cursor: next } of vault.events(cursor === undefined ? {} : { cursor })) {
      followed.push(event.event_id);
      cursor = next;
    }
  }
  const events = await checkPromises(history, vault);
  expect(followed, 'a follower saw every event once, in order').toEqual(events.map(event => event.event_id));
  for (const event of events) expect(history.told.get(event.idempotency_key)?.committed_at).toBe(event.timestamp);
  const times = events.map(event => Date.parse(event.timestamp));
  expect(
    times.some((time, at) => at > 0 && time < times[at - 1]!),
    'the clock did go back',
  ).toBe(true);
  expect((await vault.status()).rows).toEqual([]);
  await vault.close();
});

test('a key replays its first answer whenever it is: an hour before it was recorded, or years after its answer was forgotten', async () => {
  const clock = fakeClock();
  const vault = await open(clock);
  const history = createHistory();
  const request = writeRule('rules/a.md', 'once');
  const first = await send(history, vault, request);
  expect(first.success).toBe(true);
  for (const jump of [-hour, year, year, -3 * year]) {
    clock.advance(jump);
    // Another commit, so that forgotten answers are really purged.
    await send(history, vault, writeRule('rules/b.md', `after ${jump}`));
    const again = await send(history, vault, request);
    expect(again).toMatchObject({ replay: true, event_id: first.event_id, committed_at: first.committed_at });
  }
  await checkPromises(history, vault);
  await vault.close();
});

test(`a lease is never held by two, wherever the clock jumps (seed ${startSeed})`, async () => {
  const random = seededRandom(startSeed);
  const clock = fakeClock();
  const [vault, other] = [await open(clock), await open(clock)];
  const people = ['agent:a', 'agent:b', 'agent:c'].map(principal_id => ({
    principal_id,
    operation_id: `job of ${principal_id}`,
    lease_id: '',
  }));
  const target = 'rules/a.md';
  const quietly = async <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((error: unknown) => {
      if (isVaultError(error) && error.code === 'lease_conflict') return null;
      throw error;
    });
  let taken = 0;
  for (let round = 0; round < rounds; round += 1) {
    clock.advance(jumps[Math.floor(random() * jumps.length)]! * (random() < 0.5 ? 1 : 0) + 10_000);
    const person = people[Math.floor(random() * people.length)]!;
    const { leases } = random() < 0.5 ? vault : other;
    const roll = random();
    if (roll < 0.5) {
      const lease = await quietly(leases.acquire({ workspace_id: 'ws-crash', target, ...person }));
      if (lease !== null) taken += 1;
      person.lease_id = lease?.lease_id ?? person.lease_id;
    } else if (roll < 0.8) await quietly(leases.renew('ws-crash', target, person));
    else await quietly(leases.release('ws-crash', target, person));
    const holders = await Promise.all(people.map(holder => quietly(leases.verify('ws-crash', target, holder))));
    expect(holders.filter(lease => lease !== null).length, `round ${round}`).toBeLessThanOrEqual(1);
    const current = await leases.current('ws-crash', target);
    expect(holders.find(lease => lease !== null) ?? null, `round ${round}: the holder is who is named`).toEqual(
      people.some(({ lease_id }) => lease_id === current?.lease_id) ? current : null,
    );
  }
  expect(taken).toBeGreaterThan(10);
  await vault.close();
  await other.close();
});

test('a lease ends at the instant it names: after a jump forward it is gone, also when the clock is set back, and another may have it', async () => {
  const clock = fakeClock();
  const vault = await open(clock);
  const claim = (principal_id: string) => ({ workspace_id: 'ws-crash', target: 'rules/a.md', principal_id, operation_id: 'job' });
  const first = await vault.leases.acquire(claim('agent:a'));
  clock.advance(-hour);
  await expect(vault.leases.acquire(claim('agent:b')), 'set back, it lasts longer').rejects.toThrow('is leased until');
  clock.advance(hour + 60_000);
  const second = await vault.leases.acquire(claim('agent:b'));
  clock.advance(-60_000);
  await expect(vault.leases.verify('ws-crash', 'rules/a.md', first), 'a lease that was passed on does not come back').rejects.toThrow(
    'No live lease',
  );
  expect(await vault.leases.verify('ws-crash', 'rules/a.md', second)).toEqual(second);
  await vault.close();
});

/** The newest of several databases counts, by the time in its name; so this is about the computer's own clock. */
test.each([
  { what: 'event index', directory: 'derived' },
  { what: 'cache of answers', directory: 'coordination' },
])("a damaged $what that is replaced after the computer's clock went back stays replaced", async ({ directory }) => {
  const history = createHistory();
  const at = join(root, '.ssss', directory);
  const databases = (): readonly string[] => readdirSync(at).filter(name => name.endsWith('.sqlite') && !name.startsWith('leases'));
  const writeAt = async (shift: number, text: string): Promise<void> => {
    const request = writeRule('rules/a.md', text);
    const child = startChild('machine', 'test/machine/one-write.mjs', [root, join(base, 'state'), JSON.stringify(request), String(shift)]);
    expect(await child.ended, child.errors()).toBe(0);
    const { response, notices } = child.lines[0] as { response: Answer; notices: readonly { kind: string }[] };
    expect(response, response.error?.message).toMatchObject({ success: true, validation: { warnings: [] } });
    if (text !== 'replaced') expect(notices).toEqual([]);
    remember(history, 'machine', [{ try: request }, { done: request.idempotency_key, response }]);
  };
  await writeAt(0, 'first');
  for (const name of databases()) writeFileSync(join(at, name), 'damaged '.repeat(10_000));
  await writeAt(-hour, 'replaced');
  const replaced = databases();
  await writeAt(-hour, 'found again');
  await writeAt(-2 * hour, 'found still');
  expect(databases(), 'nothing is replaced again').toEqual(replaced);
  expect(
    readFileSync(join(at, databases().at(-1)!))
      .subarray(0, 15)
      .toString('latin1'),
    'the one that counts is sound',
  ).toBe('SQLite format 3');
  const vault = await openVault({ root, stateDir: join(base, 'state') });
  await checkPromises(history, vault);
  await vault.close();
});
