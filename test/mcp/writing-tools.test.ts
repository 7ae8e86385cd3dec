import { expect, test } from 'vitest';
import { agent, callTool, connectAs, eventsOf, openVaultForTest, person, rule, thread, workspace } from './mcp-client.ts';

test('a document is created, read, and replaced against the hash that was read', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const made = await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  expect(made.refused, made.text).toBe(false);
  expect(made.json()).toMatchObject({ success: true, path: 'rules/tone.md', validation: { type: 'ssss:rule' } });
  const read = await callTool(client, 'read_document', { path: 'rules/tone.md' });
  expect(read.stored).toBe(rule('Tone'));
  const replaced = await callTool(client, 'write_document', {
    path: 'rules/tone.md',
    content: rule('Tone', 'Be brief.\n'),
    base_hash: read.said.hash,
  });
  expect(replaced.json()).toMatchObject({ success: true });
  expect((await vault.read('rules/tone.md'))?.text).toBe(rule('Tone', 'Be brief.\n'));
});

test('replacing an existing document without a base hash is refused, and the reply says how to get one', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  const blind = await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Other') });
  expect(blind.refused).toBe(true);
  expect(blind.said).toMatchObject({ refused: 'version_conflict', remedy: expect.stringContaining('read_document') });
  expect((await vault.read('rules/tone.md'))?.text).toBe(rule('Tone'));
});

test('a stale replace is refused and what another agent wrote survives', async () => {
  const vault = await openVaultForTest();
  const [one, two] = [await connectAs(vault, agent('agent:a')), await connectAs(vault, agent('agent:b'))];
  await callTool(one, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  const { said } = await callTool(one, 'read_document', { path: 'rules/tone.md' });
  await callTool(two, 'patch_document', { path: 'rules/tone.md', set: { scope: 'support' } });
  const stale = await callTool(one, 'write_document', { path: 'rules/tone.md', content: rule('Tone', 'Old.\n'), base_hash: said.hash });
  expect(stale.json()).toMatchObject({ success: false, error: { code: 'version_conflict' } });
  expect((await vault.read('rules/tone.md'))?.text).toContain('scope: support');
});

test('a patch changes the named values and the body and keeps every other line', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone', 'Be kind.\n', '# stays\nscope: a\n') });
  const patched = await callTool(client, 'patch_document', {
    path: 'rules/tone.md',
    set: { scope: 'b', priority: 3 },
    body: 'Be brief.\n',
  });
  expect(patched.refused, patched.text).toBe(false);
  const text = (await vault.read('rules/tone.md'))?.text ?? '';
  expect(text).toContain('# stays\n');
  expect(text).toContain('scope: b\n');
  expect(text).toContain('priority: 3\n');
  expect(text.endsWith('---\nBe brief.\n')).toBe(true);
});

test('a body that is given twice is refused: nobody guesses which was meant', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  const twice = await callTool(client, 'patch_document', { path: 'rules/tone.md', set: { __body__: 'One.\n' }, body: 'Two.\n' });
  expect(twice.said.refused).toBe('invalid_request');
  for (const set of [7, [], 'text', null]) {
    const wrong = await callTool(client, 'patch_document', { path: 'rules/tone.md', set, body: 'Two.\n' });
    expect(wrong.said.refused, JSON.stringify(set)).toBe('invalid_request');
  }
  expect((await vault.read('rules/tone.md'))?.text).toBe(rule('Tone'));
});

test('a record is appended to a thread, and appending to a document that is replaced is refused and changes nothing', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'threads/t1/CONVERSATION.md', content: thread });
  await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  const turn = '### turn 2 — assistant — 2026-05-16T14:01:00Z\nGood morning.\n';
  const appended = await callTool(client, 'append_record', { path: 'threads/t1/CONVERSATION.md', text: turn });
  expect(appended.refused, appended.text).toBe(false);
  expect((await vault.read('threads/t1/CONVERSATION.md'))?.text).toBe(thread + turn);
  const wrong = await callTool(client, 'append_record', { path: 'rules/tone.md', text: 'lost?' });
  expect(wrong.refused).toBe(true);
  expect((await vault.read('rules/tone.md'))?.text).toBe(rule('Tone'));
});

test('a document is deleted, and an event recorded about something that need not exist', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone') });
  expect((await callTool(client, 'delete_document', { path: 'rules/tone.md' })).refused).toBe(false);
  expect(await vault.read('rules/tone.md')).toBeNull();
  const event = await callTool(client, 'record_event', { subject: 'orders/1042', payload: { event_type: 'paid', amount: 12 } });
  expect(event.json()).toMatchObject({ success: true, type: 'event', path: 'orders/1042' });
  expect((await eventsOf(vault)).at(-1)).toMatchObject({ subject: 'orders/1042', payload: { event_type: 'paid', amount: 12 } });
});

test('a raw envelope is judged by the kernel alone and answered with its response, member for member', async () => {
  const vault = await openVaultForTest();
  const principal = agent('agent:a');
  const client = await connectAs(vault, principal);
  const envelope = { type: 'event', workspace_id: workspace, idempotency_key: 'k1', path: 'shop/door', content: '{}' };
  const first = await callTool(client, 'submit_envelope', { envelope, correlation_id: 'c1' });
  const again = await vault.execute(envelope, { principal });
  expect({ ...first.json(), replay: true }).toEqual(again);
  for (const broken of [7, 'text', null, [], { type: 'nothing' }]) {
    const refused = await callTool(client, 'submit_envelope', { envelope: broken });
    const direct = await vault.execute(broken, { principal });
    expect({ ...refused.json(), operation_id: '' }).toEqual({ ...direct, operation_id: '' });
  }
  expect((await eventsOf(vault)).map(event => event.correlation_id)).toEqual(['c1']);
});

test('identity in an envelope or among the arguments changes nobody: the log holds the bearer', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a', ['write:event']));
  const envelope = {
    type: 'event',
    workspace_id: workspace,
    idempotency_key: 'k',
    path: 'x',
    principal: person,
    actor: { role: 'system' },
  };
  await callTool(client, 'submit_envelope', { envelope });
  expect((await eventsOf(vault)).map(event => event.principal.id)).toEqual(['agent:a']);
  const argument = await callTool(client, 'record_event', { subject: 'x', principal: person });
  expect(argument.json()).toMatchObject({ error: { code: 'invalid_request' } });
});

test('a dry run changes nothing and says so', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const rehearsed = await callTool(client, 'write_document', { path: 'rules/tone.md', content: rule('Tone'), dry_run: true });
  expect(rehearsed.text).toContain('rehearsed:');
  expect(await vault.read('rules/tone.md')).toBeNull();
  expect(await eventsOf(vault)).toEqual([]);
});

test('what is not valid comes back with every field, its place and a remedy', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const refused = await callTool(client, 'write_document', { path: 'rules/tone.md', content: '---\ntype: rule\n---\n' });
  expect(refused.said).toMatchObject({ refused: 'validation_failed', remedy: expect.stringContaining('field_errors') });
  const fields = (refused.json() as { repair: { field_errors: { field: string }[] } }).repair.field_errors.map(({ field }) => field);
  expect(fields).toEqual(expect.arrayContaining(['title', 'description', 'timestamp', 'name']));
});

test('a document with thousands of faults gives a bounded answer that says what it left out', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const keys = Array.from({ length: 4000 }, (_, index) => `: broken${index}\n`).join('');
  const refused = await callTool(client, 'write_document', { path: 'rules/tone.md', content: `---\ntype: rule\n${keys}---\n` });
  expect(refused.refused).toBe(true);
  expect(refused.text.length).toBeLessThan(150_000);
});

test('arguments that do not fit are refused by name, before anything happens', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  const refused = await callTool(client, 'write_document', { path: '', text: 'x' });
  expect(refused.said.refused).toBe('invalid_request');
  const issues = (refused.json() as { repair: { field_errors: { field: string }[] } }).repair.field_errors.map(({ field }) => field);
  expect(issues).toEqual(expect.arrayContaining(['path', 'content']));
  await expect(client.callTool({ name: 'drop_everything', arguments: {} })).rejects.toThrow('no tool of that name');
});

test('leases are acquired, guard writes where the vault requires them, are renewed and released', async () => {
  const vault = await openVaultForTest({ policy: { lease_required: ['rules/**'] } });
  const [one, two] = [await connectAs(vault, agent('agent:a')), await connectAs(vault, agent('agent:b'))];
  const lease = await callTool(one, 'acquire_lease', { target: 'rules/tone.md', operation_id: 'job-1', ttl_seconds: 60 });
  const { lease_id } = lease.said;
  const created = { path: 'rules/tone.md', content: rule('Tone'), lease_id, operation_id: 'job-1' };
  expect((await callTool(one, 'write_document', created)).refused).toBe(false);
  expect((await callTool(two, 'acquire_lease', { target: 'rules/tone.md', operation_id: 'job-2' })).said.refused).toBe('lease_conflict');
  const blocked = await callTool(two, 'patch_document', { path: 'rules/tone.md', set: { scope: 'b' } });
  expect(blocked.said).toMatchObject({ refused: 'lease_conflict', remedy: expect.stringContaining('acquire_lease') });
  const mine = await callTool(one, 'patch_document', { path: 'rules/tone.md', set: { scope: 'a' }, lease_id, operation_id: 'job-1' });
  expect(mine.refused, mine.text).toBe(false);
  expect((await callTool(two, 'renew_lease', { lease_id, operation_id: 'job-1' })).said.refused).toBe('lease_conflict');
  expect((await callTool(one, 'renew_lease', { lease_id, operation_id: 'job-1', ttl_seconds: 120 })).json()).toMatchObject({ lease_id });
  expect((await callTool(one, 'release_lease', { lease_id, operation_id: 'job-1' })).json()).toMatchObject({ released: true });
  expect((await callTool(two, 'acquire_lease', { target: 'rules/tone.md', operation_id: 'job-2' })).refused).toBe(false);
});

test('four parallel calls of one turn all succeed or are refused by name, and the log agrees with the documents', async () => {
  const vault = await openVaultForTest();
  const client = await connectAs(vault, agent('agent:a'));
  await callTool(client, 'write_document', { path: 'rules/old.md', content: rule('Old') });
  const replies = await Promise.all([
    callTool(client, 'write_document', { path: 'rules/new.md', content: rule('New') }),
    callTool(client, 'record_event', { subject: 'orders/1' }),
    callTool(client, 'patch_document', { path: 'rules/old.md', set: { scope: 'x' } }),
    callTool(client, 'delete_document', { path: 'rules/old.md' }),
  ]);
  const refused = replies.filter(reply => reply.refused).map(reply => reply.said.refused);
  for (const code of refused) expect(['version_conflict', 'not_found']).toContain(code);
  expect((await eventsOf(vault)).length).toBe(1 + replies.length - refused.length);
  expect((await vault.status()).rows).toEqual([]);
});
