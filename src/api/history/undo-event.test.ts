import { expect, test } from 'vitest';
import type { Principal } from '#adapter-contracts';
import { seededRandom } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { openMemoryVault, type VaultAdapters } from '#open-vault';
import type { Vault } from '../vault.ts';

const person = (...capabilities: string[]): Principal => ({
  id: 'ada',
  kind: 'human',
  workspaceIds: ['ws-memory'],
  capabilities,
  authentication: { provider: 'test', assurance: 'verified' },
});
const owner = person('*:*');
const rule = (body: string, name = 'tone'): string =>
  `---\ntype: rule\ntitle: Tone\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: ${name}\n---\n${body}`;
const thread = (body: string): string =>
  `---\ntype: thread\ntitle: T\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nthread_id: t\nstatus: open\n---\n${body}`;
const path = 'rules/tone.md';

const openEditable = async () => {
  let adapters: VaultAdapters | undefined;
  let keys = 0;
  const vault = await openMemoryVault({ wrapAdapters: given => (adapters = given) });
  const send = (envelope: Readonly<Record<string, unknown>>) =>
    vault.execute({ workspace_id: vault.workspaceId, idempotency_key: `k${keys++}`, ...envelope }, { principal: owner });
  const submit = async (envelope: Readonly<Record<string, unknown>>): Promise<string> => {
    const response = await send(envelope);
    expect(response).toMatchObject({ success: true });
    return (response as { event_id: string }).event_id;
  };
  const edit = async (at: string, text: string | null) => {
    const { vfs } = adapters!;
    const stored = await vfs.read(at);
    if (text !== null)
      await vfs.writeAtomic(at, new TextEncoder().encode(text), stored === null ? { ifAbsent: true } : { version: stored.version });
    else if (stored !== null) await vfs.remove(at, { version: stored.version });
  };
  const write = (content: string, at = path) => submit({ type: 'operation', path: at, content });
  const undo = (eventId: string, options: object = {}) => vault.history.undo(eventId, { principal: owner, ...options });
  const text = async (at = path) => (await vault.read(at))?.text ?? null;
  return { vault, send, submit, write, edit, undo, text };
};

const eventsOf = async (vault: Vault) => {
  const events = [];
  for await (const { event } of vault.events()) events.push(event);
  return events;
};

test('undoing a create, a replace, a patch and a delete restores what stood there before, as a new event that names its cause', async () => {
  const { vault, submit, write, undo, text } = await openEditable();
  const created = await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  expect(await undo(replaced)).toMatchObject({ success: true, type: 'operation' });
  expect(await text()).toBe(rule('One.\n'));
  const patched = await submit({ type: 'patch', path, patches: { title: 'Voice', __body__: 'Three.\n' } });
  await undo(patched);
  expect(await text()).toBe(rule('One.\n'));
  const deleted = await submit({ type: 'delete', path });
  await undo(deleted);
  expect(await text()).toBe(rule('One.\n'));
  expect(await undo(created)).toMatchObject({ success: true, type: 'delete' });
  expect(await text()).toBeNull();
  const undone = (await eventsOf(vault)).filter(event => event.idempotency_key.startsWith('undo-'));
  expect(undone.map(({ causation_id, action, principal }) => [causation_id, action, principal.id])).toEqual([
    [replaced, 'replace', 'ada'],
    [patched, 'replace', 'ada'],
    [deleted, 'create', 'ada'],
    [created, 'delete', 'ada'],
  ]);
});

test('an undo can be undone, and then the first event again', async () => {
  const { write, undo, text } = await openEditable();
  await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  const first = (await undo(replaced)) as { event_id: string };
  const second = (await undo(first.event_id)) as { event_id: string };
  expect(await text()).toBe(rule('Two.\n'));
  const third = (await undo(replaced)) as { event_id: string; replay?: boolean };
  expect(await text()).toBe(rule('One.\n'));
  expect(new Set([first.event_id, second.event_id, third.event_id]).size).toBe(3);
});

test('asking for the same undo again is answered and not done again, also by two at once', async () => {
  const { vault, write, undo, text } = await openEditable();
  await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  const both = (await Promise.all([undo(replaced), undo(replaced)])) as { success: boolean; event_id: string; replay?: boolean }[];
  expect(both.map(({ success }) => success)).toEqual([true, true]);
  expect(both.filter(({ replay }) => replay === true)).toHaveLength(1);
  expect(await undo(replaced)).toMatchObject({ success: true, replay: true, event_id: both[0]!.event_id });
  expect(await eventsOf(vault)).toHaveLength(3);
  expect(await text()).toBe(rule('One.\n'));
});

test('an undo is no repetition once somebody edited what it left: it is refused, made by force, or made again when the change is back', async () => {
  const { write, undo, edit, text } = await openEditable();
  await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  const first = (await undo(replaced)) as { event_id: string };
  await edit(path, rule('By hand.\n'));
  await expect(undo(replaced)).rejects.toMatchObject({ code: 'version_conflict', message: expect.stringContaining('outside Sheaf') });
  const forced = (await undo(replaced, { force: true })) as { event_id: string };
  expect(forced.event_id).not.toBe(first.event_id);
  expect(await text()).toBe(rule('One.\n'));
  await edit(path, rule('Two.\n'));
  expect(await undo(replaced)).toMatchObject({ success: true });
  expect(await text()).toBe(rule('One.\n'));
});

test('the same holds for the repeated undo of a patch of a document of an append type', async () => {
  const { write, submit, undo, text } = await openEditable();
  await write(thread(''), 'threads/t.md');
  const closed = await submit({ type: 'patch', path: 'threads/t.md', patches: { status: 'closed' } });
  expect(await undo(closed)).toMatchObject({ success: true, type: 'patch' });
  expect(await text('threads/t.md')).toBe(thread(''));
  expect(await undo(closed)).toMatchObject({ success: true, replay: true });
});

test('a document that moved on is left alone, and the refusal names the event that moved it', async () => {
  const { write, undo, edit, text } = await openEditable();
  await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  const later = await write(rule('Three.\n'));
  await expect(undo(replaced)).rejects.toMatchObject({ code: 'version_conflict', message: expect.stringContaining(later) });
  await edit(path, rule('By hand.\n'));
  await expect(undo(later)).rejects.toMatchObject({ code: 'version_conflict', message: expect.stringContaining('outside Sheaf') });
  expect(await text()).toBe(rule('By hand.\n'));
});

test('by force the earlier version is restored over what is stored, and that can be undone too', async () => {
  const { write, undo, edit, text } = await openEditable();
  await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  await write(rule('Three.\n'));
  await edit(path, rule('By hand.\n'));
  const forced = (await undo(replaced, { force: true })) as { event_id: string };
  expect(await text()).toBe(rule('One.\n'));
  await undo(forced.event_id);
  expect(await text()).toBe(rule('By hand.\n'));
});

test('by force a document that is gone comes back, and one that was created anew goes', async () => {
  const { submit, write, undo, text } = await openEditable();
  const created = await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  await submit({ type: 'delete', path });
  await undo(replaced, { force: true });
  expect(await text()).toBe(rule('One.\n'));
  await write(rule('Three.\n'));
  await undo(created, { force: true });
  expect(await text()).toBeNull();
  await expect(undo(replaced)).rejects.toMatchObject({ code: 'version_conflict' });
});

test('a rehearsal says what would be done and does nothing', async () => {
  const { vault, write, undo, text } = await openEditable();
  const created = await write(rule('One.\n'));
  expect(await undo(created, { dryRun: true })).toMatchObject({ success: true, dry_run: true, type: 'delete' });
  expect(await text()).toBe(rule('One.\n'));
  expect(await eventsOf(vault)).toHaveLength(1);
});

test('an adopted hand edit is taken back like any change', async () => {
  const { vault, write, edit, undo, text } = await openEditable();
  await write(rule('One.\n'));
  await edit(path, rule('By hand.\n'));
  await edit('rules/new.md', rule('New.\n', 'new'));
  const [made, changed] = await vault.adopt(null, owner);
  await undo(changed!.event_id!);
  expect(await text()).toBe(rule('One.\n'));
  expect(await undo(made!.event_id!)).toMatchObject({ success: true, type: 'delete' });
  await edit(path, null);
  const [removed] = await vault.adopt([path], owner);
  await undo(removed!.event_id!);
  expect(await text()).toBe(rule('One.\n'));
});

test('what the contract never takes back is refused with the reason: events, appended records, the creation of a thread', async () => {
  const { submit, write, undo } = await openEditable();
  const opened = await submit({ type: 'event', path: 'shop/door', content: '{"event_type":"opened"}' });
  await expect(undo(opened)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('nothing to undo') });
  await expect(undo('nothing')).rejects.toMatchObject({ code: 'not_found' });
  const created = await write(thread(''), 'threads/t.md');
  await expect(undo(created)).rejects.toMatchObject({ code: 'validation_failed', message: expect.stringContaining('cannot be deleted') });
  const appended = await submit({
    type: 'patch',
    path: 'threads/t.md',
    patches: { __body__: '### turn 1 — user — 2026-05-16T14:00:00Z\nHello\n' },
  });
  await expect(undo(appended)).rejects.toMatchObject({ code: 'validation_failed', message: expect.stringContaining('was appended') });
  const marked = await submit({ type: 'patch', path: 'threads/t.md', patches: { x_mark: 'yes' } });
  await expect(undo(marked)).rejects.toMatchObject({ code: 'validation_failed', message: expect.stringContaining("'x_mark'") });
});

test('whoever may not make the change may not take it back either', async () => {
  const { vault, write } = await openEditable();
  await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  const reader = person('ssss:rule:read', 'read:event');
  expect(await vault.history.undo(replaced, { principal: reader })).toMatchObject({ success: false, error: { code: 'forbidden' } });
  await expect(vault.history.undo(replaced, { principal: null })).rejects.toMatchObject({ code: 'unauthorized' });
});

test('nobody can take the key of an undo beforehand, and a key of the caller works like any other', async () => {
  const { send, write, undo } = await openEditable();
  expect(await send({ type: 'operation', idempotency_key: 'undo-1', path, content: rule('One.\n') })).toMatchObject({
    success: false,
    error: { code: 'forbidden' },
  });
  await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  const done = (await undo(replaced, { key: 'mine' })) as { event_id: string };
  await write(rule('Three.\n'));
  expect(await undo(replaced, { key: 'mine' })).toMatchObject({ success: true, replay: true, event_id: done.event_id });
});

test('a content that is not kept is a refusal that says so', async () => {
  let adapters: VaultAdapters | undefined;
  const { vault, write } = await openEditable();
  await write(rule('One.\n'));
  const replaced = await write(rule('Two.\n'));
  const bare = await openMemoryVault({ wrapAdapters: given => (adapters = given) });
  for (const event of await eventsOf(vault)) await adapters!.events.append(event);
  await adapters!.vfs.writeAtomic(path, new TextEncoder().encode(rule('Two.\n')), { ifAbsent: true });
  await expect(bare.history.undo(replaced, { principal: owner })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(hashContent(rule('One.\n'))),
  });
});

test('undo of any of the last 1,000 events of a random workload restores the bytes before it or refuses with the reason', async () => {
  const { vault, send, edit, undo } = await openEditable();
  const random = seededRandom(20_260_516);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const paths = [...Array.from({ length: 40 }, (_, index) => `rules/r${index}.md`), 'threads/a.md', 'threads/b.md', 'index.md'];
  const contentFor = (at: string, round: number): string => {
    if (at === 'index.md') return `- page ${round}\n`;
    return at.startsWith('threads/')
      ? thread(`### turn ${round} — user — 2026-05-16T14:00:00Z\nHi\n`)
      : rule(`Body ${round}.\n`, `r${round}`);
  };
  for (let round = 0; round < 1_400; round += 1) {
    const at = pick(paths);
    const choice = random();
    if (choice < 0.4) await send({ type: 'operation', path: at, content: contentFor(at, round) });
    else if (choice < 0.6) await send({ type: 'patch', path: at, patches: { title: `Title ${round}` } });
    else if (choice < 0.7)
      await send({ type: 'patch', path: at, patches: { __body__: `### turn ${round} — user — 2026-05-16T14:00:00Z\nMore\n` } });
    else if (choice < 0.8) await send({ type: 'delete', path: at });
    else if (choice < 0.9) await send({ type: 'event', path: at, content: `{"event_type":"seen","n":${round}}` });
    else {
      await edit(at, random() < 0.2 ? null : contentFor(at, round));
      if (random() < 0.7) await vault.adopt([at], owner);
    }
  }
  const events = (await eventsOf(vault)).slice(-1_000);
  const told = { restored: 0, refused: 0 };
  for (let round = 0; round < events.length; round += 1) {
    const event = pick(events);
    const change = await vault.history.change(event.event_id);
    const before = await vault.read(event.subject);
    const outcome = await undo(event.event_id).catch((error: unknown) => error as { code: string; message: string });
    const now = await vault.read(event.subject);
    if ('success' in outcome && outcome.success) {
      told.restored += 1;
      expect(now?.hash ?? null).toBe(change.before.hash);
      expect(now?.text ?? null).toBe(change.before.content);
    } else {
      told.refused += 1;
      const reason = 'error' in outcome ? outcome.error : (outcome as { code: string; message: string });
      expect(['version_conflict', 'validation_failed', 'invalid_request', 'not_found']).toContain(reason.code);
      expect(reason.message.length).toBeGreaterThan(20);
      expect(now?.hash).toBe(before?.hash);
    }
  }
  expect(told.restored).toBeGreaterThan(40);
  expect(told.refused).toBeGreaterThan(100);
}, 60_000);
