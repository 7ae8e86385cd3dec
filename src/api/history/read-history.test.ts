import { expect, test } from 'vitest';
import { hashContent } from '#document';
import { openMemoryVault, type VaultAdapters } from '#open-vault';

const owner = {
  id: 'ada',
  kind: 'human' as const,
  workspaceIds: ['ws-memory'],
  capabilities: ['*:*'],
  authentication: { provider: 'test', assurance: 'verified' },
};
const rule = (body: string, more = ''): string =>
  `---\ntype: rule\ntitle: Tone\ndescription: D\ntimestamp: "2026-05-16T14:00:00Z"\nname: tone\n${more}---\n${body}`;
const path = 'rules/tone.md';

/** A vault whose files can be changed behind its back, with envelopes that must succeed. */
const openEditable = async () => {
  let adapters: VaultAdapters | undefined;
  let keys = 0;
  const vault = await openMemoryVault({ wrapAdapters: given => (adapters = given) });
  const submit = async (envelope: Readonly<Record<string, unknown>>, ifMatch?: string) => {
    const response = await vault.execute(
      { workspace_id: vault.workspaceId, idempotency_key: `k${keys++}`, ...envelope },
      { principal: owner, ...(ifMatch === undefined ? {} : { ifMatch }) },
    );
    expect(response).toMatchObject({ success: true });
    return (response as { event_id: string }).event_id;
  };
  const edit = async (at: string, text: string) => {
    const stored = await adapters!.vfs.read(at);
    await adapters!.vfs.writeAtomic(at, new TextEncoder().encode(text), stored === null ? { ifAbsent: true } : { version: stored.version });
  };
  const write = (content: string, at = path) => submit({ type: 'operation', path: at, content });
  const patch = (patches: object, at = path) => submit({ type: 'patch', path: at, patches });
  return { vault, submit, write, patch, edit };
};

test('what an event did is told with both contents and their difference', async () => {
  const { vault, write, patch } = await openEditable();
  const created = await write(rule('One.\nTwo.\n'));
  const patched = await patch({ __body__: 'One.\nThree.\n' });
  const first = await vault.history.change(created);
  expect(first.before).toMatchObject({ hash: null, content: null });
  expect(first.diff).toMatch(/^--- \/dev\/null\t.*\n\+\+\+ b\/rules\/tone\.md\t/);
  const second = await vault.history.change(patched);
  expect([second.before.content, second.after.content]).toEqual([rule('One.\nTwo.\n'), rule('One.\nThree.\n')]);
  expect(second.diff?.split('\n').slice(2)).toEqual(['@@ -6,4 +6,4 @@', ' name: tone', ' ---', ' One.', '-Two.', '+Three.', '']);
});

test('an event that touches no document has no versions, and an unknown one is not found', async () => {
  const { vault, submit } = await openEditable();
  const opened = await submit({ type: 'event', path: 'shop/door', content: '{"event_type":"opened"}' });
  expect(await vault.history.change(opened)).toMatchObject({ changes_document: false, diff: '' });
  await expect(vault.history.change('nothing')).rejects.toMatchObject({ code: 'not_found' });
});

test('a document is told as it was after any event, also one about something else', async () => {
  const { vault, write, submit } = await openEditable();
  const before = await write(rule('Other.\n'), 'rules/other.md');
  await write(rule('One.\n'));
  const between = await submit({ type: 'event', path: 'shop/door' });
  await write(rule('Two.\n'));
  const removed = await submit({ type: 'delete', path });
  expect((await vault.history.at(path, before)).hash).toBeNull();
  expect((await vault.history.at(path, between)).content).toBe(rule('One.\n'));
  expect(await vault.history.at(path, removed)).toMatchObject({ event_id: removed, hash: null, content: null });
  await expect(vault.history.at(path, 'nothing')).rejects.toMatchObject({ code: 'not_found' });
});

test('diff shows hand edits, what one event changed, or what changed between two', async () => {
  const { vault, write, edit } = await openEditable();
  const one = await write(rule('One.\n'));
  await write(rule('Two.\n'));
  const three = await write(rule('Three.\n'));
  expect((await vault.history.diff(path)).diff).toBe('');
  await edit(path, rule('By hand.\n'));
  expect((await vault.history.diff(path)).diff).toContain('-Three.\n+By hand.\n');
  expect((await vault.history.diff(path, three)).diff).toContain('-Two.\n+Three.\n');
  expect((await vault.history.diff(path, one, three)).diff).toContain('-One.\n+Three.\n');
  await expect(vault.history.diff('rules/none.md')).rejects.toMatchObject({ code: 'not_found' });
  await expect(vault.history.diff('rules/none.md', one)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('a hand edit that was adopted keeps its content, and diff and at know it', async () => {
  const { vault, write, edit } = await openEditable();
  await write(rule('One.\n'));
  await edit(path, rule('By hand.\n'));
  const [adopted] = await vault.adopt([path], owner);
  await write(rule('Three.\n'));
  expect(adopted?.event_id).toBeTypeOf('string');
  expect((await vault.history.at(path, adopted!.event_id!)).content).toBe(rule('By hand.\n'));
  expect((await vault.history.change(adopted!.event_id!)).diff).toContain('-One.\n+By hand.\n');
});

test('what a replacement found is kept, although nobody had recorded it', async () => {
  const { vault, write, edit, submit } = await openEditable();
  await write(rule('One.\n'));
  await edit(path, rule('By hand.\n'));
  const over = await submit({ type: 'operation', path, content: rule('Two.\n') }, hashContent(rule('By hand.\n')));
  expect((await vault.history.change(over)).before.content).toBe(rule('By hand.\n'));
});

test('blame names the event that gave each key its value and each line its text', async () => {
  const { vault, write, patch } = await openEditable();
  const created = await write(rule('One.\nTwo.\nThree.\n'));
  const retitled = await patch({ title: 'Voice' });
  const edited = await patch({ __body__: 'One.\nTwo and a half.\nThree.\n' });
  const blame = await vault.history.blame(path);
  expect(Object.fromEntries(blame.fields.map(({ key, event_id }) => [key, event_id]))).toMatchObject({ title: retitled, name: created });
  expect(blame.fields.find(({ key }) => key === 'title')).toMatchObject({ first_line: 3, last_line: 3, origin: 'event' });
  expect(blame.body).toEqual([
    { first_line: 8, last_line: 8, origin: 'event', event_id: created },
    { first_line: 9, last_line: 9, origin: 'event', event_id: edited },
    { first_line: 10, last_line: 10, origin: 'event', event_id: created },
  ]);
  expect(blame.events.map(({ event_id, principal_id, action }) => [event_id, principal_id, action])).toEqual([
    [edited, 'ada', 'patch'],
    [retitled, 'ada', 'patch'],
    [created, 'ada', 'create'],
  ]);
  expect(blame).toMatchObject({ complete: true, note: null });
  expect((await vault.history.blame(path, created)).body).toMatchObject([{ first_line: 8, last_line: 10, event_id: created }]);
});

test('blame tells hand edits that nobody recorded from what an event set, now and in between', async () => {
  const { vault, write, edit, submit } = await openEditable();
  const created = await write(rule('One.\nTwo.\n'));
  await edit(path, rule('One.\nHand.\nTwo.\n'));
  const over = await submit(
    { type: 'operation', path, content: rule('One.\nHand.\nTwo.\nThree.\n') },
    hashContent(rule('One.\nHand.\nTwo.\n')),
  );
  await edit(path, rule('One.\nHand.\nTwo.\nThree.\nNow.\n'));
  expect((await vault.history.blame(path)).body.map(({ origin, event_id }) => [origin, event_id])).toEqual([
    ['event', created],
    ['unrecorded', over],
    ['event', created],
    ['event', over],
    ['unrecorded', null],
  ]);
});

test('blame says what it cannot know when a past content is gone', async () => {
  let adapters: VaultAdapters | undefined;
  // A log that is older than the history: its contents were never handed over.
  const { vault, write, patch } = await openEditable();
  const first = await write(rule('One.\n'));
  const second = await patch({ __body__: 'One.\nTwo.\n' });
  const kept = await vault.history.at(path, second);
  const bare = await openMemoryVault({ wrapAdapters: given => (adapters = given) });
  for await (const { event } of vault.events()) await adapters!.events.append(event);
  await adapters!.vfs.writeAtomic(path, new TextEncoder().encode(kept.content!), { ifAbsent: true });
  const blame = await bare.history.blame(path);
  expect(blame.complete).toBe(false);
  expect(blame.note).toContain(`Unknown before event ${second}`);
  expect(blame.body).toMatchObject([{ origin: 'unknown', event_id: second }]);
  expect((await bare.history.change(second)).diff).toBeNull();
  expect((await bare.history.at(path, first)).missing).toContain('is not kept');
});

test('a document without frontmatter is blamed by its lines, an absent one is not found', async () => {
  const { vault, write } = await openEditable();
  const created = await write('# Rules\n\n- [[tone]]\n', 'index.md');
  expect(await vault.history.blame('index.md')).toMatchObject({
    fields: [],
    body: [{ first_line: 1, last_line: 3, origin: 'event', event_id: created }],
  });
  await expect(vault.history.blame('rules/none.md')).rejects.toMatchObject({ code: 'not_found' });
});
