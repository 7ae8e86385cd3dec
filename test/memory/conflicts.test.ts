import { describe, expect, test } from 'vitest';
import { contents, vaultWith, writeAll } from '../links/linked-vault.ts';
import { memory } from './remembering.ts';

const person = (vault: Awaited<ReturnType<typeof vaultWith>>) => ({ principal: vault.localPrincipal() });

const pairs = async (files: Readonly<Record<string, string>>) => {
  const vault = await vaultWith(files);
  return (await vault.memory.check()).pairs.map(pair => `${pair.new.slug} ${pair.kind} ${pair.reason} ${pair.existing.slug}`);
};

describe('two memories', () => {
  const one = memory({ slug: 'one', statement: 'support email_format html' });
  test.each([
    [
      'that name different things',
      { slug: 'two', statement: 'support email_format plain_text' },
      ['two contradiction different_object one'],
    ],
    [
      'one of which forbids what the other asks for',
      { slug: 'two', statement: 'support email_format html', modality: 'must_not' },
      ['two contradiction opposed one'],
    ],
    [
      'that say the same, in another spelling',
      { slug: 'two', statement: 'Support Email-Format HTML' },
      ['two duplicate same_statement one'],
    ],
    ['that ask for one thing and forbid another', { slug: 'two', statement: 'support email_format plain_text', modality: 'must_not' }, []],
    ['about different predicates', { slug: 'two', statement: 'support email_tone html' }, []],
    ['one of which is out of force', { slug: 'two', statement: 'support email_format plain_text', status: 'superseded' }, []],
    ['one of which makes no statement', { slug: 'two' }, []],
  ])('%s', async (_name, other, expected) => {
    expect(await pairs({ 'memory/a.md': one, 'memory/b.md': memory({ timestamp: '2026-06-01T00:00:00Z', ...other }) })).toEqual(expected);
  });

  test('whose words are nearly the same repeat each other, in any script; a negation is not guessed', async () => {
    const words = (slug: string, title: string, description: string) => memory({ slug, title, description });
    const files = {
      'memory/a.md': words('a', 'Call the customer before noon', 'Always call the customer on the day of the return'),
      'memory/b.md': words('b', 'Call the customer before noon', 'Always call the customer on the day of return'),
      'memory/c.md': words('c', '租车定金政策', '普通自行车收取五十欧元定金'),
      'memory/d.md': words('d', '租车定金政策', '普通自行车收取五十欧元的定金'),
      'memory/e.md': words('e', 'Ring the shop bell', 'Three short rings at closing time'),
    };
    expect(await pairs(files)).toEqual(['b duplicate near_equal_text a', 'd duplicate near_equal_text c']);
  });

  test('the one in force stands, else the older one', async () => {
    const files = {
      'memory/a.md': memory({ slug: 'proposed', statement: 's p x', status: 'proposed', timestamp: '2026-01-01T00:00:00Z' }),
      'memory/b.md': memory({ slug: 'active', statement: 's p y', timestamp: '2026-02-01T00:00:00Z' }),
      'memory/c.md': memory({ slug: 'younger', statement: 's p z', timestamp: '2026-03-01T00:00:00Z' }),
    };
    expect(await pairs(files)).toEqual([
      'proposed contradiction different_object active',
      'younger contradiction different_object active',
      'proposed contradiction different_object younger',
    ]);
  });
});

describe('recorded conflicts', () => {
  const files = {
    'memory/html.md': memory({ slug: 'html', statement: 'support email_format html', status: 'proposed' }),
    'memory/plain.md': memory({ slug: 'plain', statement: 'support email_format plain_text' }),
  };
  const states = async (vault: Awaited<ReturnType<typeof vaultWith>>, record = true) =>
    (await vault.memory.check(record ? { record: person(vault) } : {})).pairs.map(({ state }) => state);

  test('are made once for a pair, keep the new memory from promotion, and end with their resolution', async () => {
    const vault = await vaultWith(files);
    expect((await vault.memory.check({ record: { ...person(vault), dryRun: true } })).pairs.map(({ state }) => state)).toEqual(['planned']);
    const { pairs: found } = await vault.memory.check({ record: person(vault) });
    expect(found).toMatchObject([{ state: 'recorded', new: { slug: 'html' }, existing: { slug: 'plain' } }]);
    const conflict = found[0]?.conflict ?? '';
    expect((await vault.check()).problems).toEqual([]);
    expect((await vault.check([conflict])).warnings).toEqual([]);
    expect(await states(vault)).toEqual(['pending']);
    const promote = {
      type: 'patch',
      workspace_id: vault.workspaceId,
      idempotency_key: 'p1',
      path: 'memory/html.md',
      patches: { status: 'active' },
    };
    expect(await vault.execute(promote, person(vault))).toMatchObject({ success: false, error: { code: 'forbidden' } });
    const resolved = await vault.memory.resolve(conflict, 'new', person(vault));
    expect(resolved.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual(['memory/plain.md done', `${conflict} done`]);
    expect((await vault.read('memory/plain.md'))?.text).toContain('\nstatus: superseded\n');
    expect((await vault.read(conflict))?.text).toContain('\nstatus: resolved\n');
    expect(await vault.execute({ ...promote, idempotency_key: 'p2' }, person(vault))).toMatchObject({ success: true });
    expect(await states(vault)).toEqual([]);
    const again = await vault.memory.resolve(resolved.conflict_id, 'new', person(vault));
    expect(again.steps.map(({ outcome }) => outcome)).toEqual(['already', 'already']);
  });

  test('end one way only: never do two memories supersede each other', async () => {
    const files = {
      'memory/html.md': memory({ slug: 'html', statement: 'support email_format html' }),
      'memory/plain.md': memory({ slug: 'plain', statement: 'support email_format plain_text' }),
    };
    const vault = await vaultWith(files);
    const conflict = (await vault.memory.check({ record: person(vault) })).pairs[0]?.conflict ?? '';
    await vault.memory.resolve(conflict, 'new', person(vault));
    const resolved = await contents(vault);
    for (const keep of ['existing', 'both'] as const)
      await expect(vault.memory.resolve(conflict, keep, person(vault))).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await contents(vault)).toEqual(resolved);
    // As an interruption after the first step leaves it.
    await writeAll(vault, { [conflict]: resolved[conflict]!.replace('status: resolved', 'status: pending') });
    await expect(vault.memory.resolve(conflict, 'existing', person(vault))).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await vault.memory.resolve(conflict, 'new', person(vault))).steps.map(({ outcome }) => outcome)).toEqual(['already', 'done']);
  });

  test('stay resolved until one of the two says something else', async () => {
    const vault = await vaultWith(files);
    const { pairs: found } = await vault.memory.check({ record: person(vault) });
    const conflict = found[0]?.conflict ?? '';
    await vault.memory.resolve(conflict, 'both', person(vault));
    expect(await states(vault)).toEqual(['resolved']);
    const patch = async (key: string, patches: object) =>
      vault.execute(
        { type: 'patch', workspace_id: vault.workspaceId, idempotency_key: key, path: 'memory/html.md', patches },
        person(vault),
      );
    await patch('k1', { status: 'active', feedback: { score: 1 } });
    expect(await states(vault)).toEqual(['resolved']);
    await patch('k2', { object: 'rich_html' });
    expect(await states(vault, false)).toEqual(['unrecorded']);
    expect(await states(vault)).toEqual(['reopened']);
    expect(Object.keys(await contents(vault)).filter(path => path.startsWith('conflicts/'))).toEqual([conflict]);
    expect((await vault.read(conflict))?.text).toContain('\nstatus: pending\n');
  });

  test('that a person wrote count, whichever memory they call the new one', async () => {
    const vault = await vaultWith({
      ...files,
      'notes/c.md':
        '---\ntype: conflict\ntitle: C\ndescription: D\ntimestamp: 2026-05-16T18:30:00Z\nconflict_id: conflict-2026-05-16-001\nstatus: pending\nnew_slug: plain\nexisting_slug: html\ndetected_at: 2026-05-16T18:30:00Z\n---\n',
    });
    expect(await states(vault)).toEqual(['pending']);
    const promote = {
      type: 'patch',
      workspace_id: vault.workspaceId,
      idempotency_key: 'p',
      path: 'memory/plain.md',
      patches: { status: 'active' },
    };
    expect(await vault.execute(promote, person(vault))).toMatchObject({ error: { message: expect.stringContaining('notes/c.md') } });
    await vault.memory.resolve('conflict-2026-05-16-001', 'existing', person(vault));
    expect((await vault.read('memory/plain.md'))?.text).toContain('superseded_by: html');
  });

  test('a resolution that cannot be finished is not begun', async () => {
    const vault = await vaultWith({
      ...files,
      'memory/plain.md': memory({ slug: 'plain', statement: 'support email_format plain_text', more: 'immutable: true\n' }),
    });
    const { pairs: found } = await vault.memory.check({ record: person(vault) });
    const agent = { ...vault.localPrincipal(), capabilities: ['ssss:conflict:*'] };
    const before = await contents(vault);
    await expect(vault.memory.resolve(found[0]?.conflict ?? '', 'new', { principal: agent })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(vault.memory.resolve('conflict-none', 'new', person(vault))).rejects.toMatchObject({ code: 'not_found' });
    expect(await contents(vault)).toEqual(before);
  });

  test('two memories with one slug are said and not recorded', async () => {
    const vault = await vaultWith({
      'memory/a.md': memory({ slug: 'x', statement: 's p o' }),
      'old/a.md': memory({ slug: 'x', statement: 's p q' }),
    });
    expect(await states(vault)).toEqual(['same_slug']);
    await writeAll(vault, { 'old/a.md': memory({ slug: 'y', statement: 's p q' }) });
    expect(await states(vault)).toEqual(['recorded']);
  });
});
