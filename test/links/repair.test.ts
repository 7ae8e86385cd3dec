import { describe, expect, test } from 'vitest';
import { bodyOf, contents, rule, run, vaultWith, withForeignBytes, writeAll } from './linked-vault.ts';

const person = (vault: Awaited<ReturnType<typeof vaultWith>>) => ({ principal: vault.localPrincipal() });

test('the links of a document are told in both directions with their places', async () => {
  const vault = await vaultWith({
    'rules/a.md': rule('See [[b|the b]] and\n[c](c.md#h) [[nobody]].\n', 'relations: [rules/b.md]\n'),
    'rules/b.md': rule('[a](/rules/a.md)\n'),
    'rules/c.md': rule('[[a]]\n'),
  });
  const links = await vault.links.of('rules/a.md');
  expect(links?.outgoing.map(({ line, column, kind, path }) => [line, column, kind, path])).toEqual([
    [7, 1, 'field', 'rules/b.md'],
    [9, 5, 'wiki', 'rules/b.md'],
    [10, 1, 'markdown', 'rules/c.md'],
  ]);
  expect(links?.backlinks.map(({ path, line, target }) => [path, line, target])).toEqual([
    ['rules/b.md', 8, '/rules/a.md'],
    ['rules/c.md', 8, 'a'],
  ]);
  expect(links?.unresolved).toMatchObject([{ line: 10, target: 'nobody', candidates: [] }]);
  expect(await vault.links.of('rules/none.md')).toBeNull();
});

test('what a reader does not see is for them as if it were not there', async () => {
  const vault = await vaultWith({ 'rules/a.md': rule('[[secret]] [x](/runs/secret/RUN.md)\n'), 'runs/secret/RUN.md': run('[[a]]') });
  expect((await vault.links.of('rules/a.md'))?.backlinks).toHaveLength(1);
  for (const reader of [{ private: false }, { mayRead: (type: string | null) => type === 'ssss:rule' }]) {
    const links = await vault.links.of('rules/a.md', reader);
    expect([links?.outgoing, links?.backlinks]).toEqual([[], []]);
    expect(links?.unresolved.map(({ target, candidates }) => [target, candidates])).toEqual([
      ['secret', []],
      ['/runs/secret/RUN.md', []],
    ]);
  }
});

describe('repairs', () => {
  const broken = {
    'rules/Tone.md': rule('# Who\n', 'slug: tone\n', 'Tone of voice'),
    'x/plan.md': rule(''),
    'y/plan.md': rule(''),
    'rules/here.md': rule(
      '[case](/rules/tone.md#who "t") [end](/rules/Tone) [old](/old/Tone.md) [gone](/rules/none.md) [[plan]] `[x](/rules/tone.md)`\n',
    ),
    'rules/fields.md': rule('', 'relations:\n  - rules/tone.md\nx_other: 1 # kept\n'),
    'runs/r/RUN.md': run('[case](/rules/tone.md)\n'),
  };

  test('change what can have meant one document only, and leave the rest to a person', async () => {
    const vault = await vaultWith(broken);
    const cursor = await vault.lastCursor();
    const dry = await vault.links.fix(null, { ...person(vault), dryRun: true });
    expect(await vault.lastCursor()).toBe(cursor);
    expect(dry.changes.map(({ path, outcome, edits }) => [path, outcome, edits.length])).toEqual([
      ['rules/fields.md', 'planned', 1],
      ['rules/here.md', 'planned', 3],
      ['runs/r/RUN.md', 'unchangeable', 1],
    ]);
    expect(dry.changes[1]?.diff).toContain('+[case](/rules/Tone.md#who "t") [end](/rules/Tone.md) [old](/rules/Tone.md) [gone]');
    const fixed = await vault.links.fix(null, person(vault));
    expect(fixed.changes.map(({ outcome }) => outcome)).toEqual(['changed', 'changed', 'unchangeable']);
    expect(fixed.remaining.map(({ path, fault }) => `${path} ${fault}`)).toEqual([
      'rules/here.md missing',
      'rules/here.md ambiguous',
      'runs/r/RUN.md wrong_case',
    ]);
    const after = await contents(vault);
    expect(bodyOf(after['rules/here.md']!)).toBe(
      '[case](/rules/Tone.md#who "t") [end](/rules/Tone.md) [old](/rules/Tone.md) [gone](/rules/none.md) [[plan]] `[x](/rules/tone.md)`\n',
    );
    expect(after['rules/fields.md']).toContain('relations:\n  - rules/Tone.md\nx_other: 1 # kept\n');
    expect(after['runs/r/RUN.md']).toBe(broken['runs/r/RUN.md']);
    const again = await vault.links.fix(null, person(vault));
    expect(again.changes.map(({ outcome }) => outcome)).toEqual(['unchangeable']);
  });

  test('of the given documents only', async () => {
    const vault = await vaultWith(broken);
    expect((await vault.links.fix(['rules/fields.md'], person(vault))).changes.map(({ path }) => path)).toEqual(['rules/fields.md']);
    expect((await vault.links.check(['x/'])).problems).toEqual([]);
  });

  test('a document that somebody else may change is refused with the reason, the others are mended', async () => {
    const vault = await vaultWith(broken, { policy: { floors: [{ paths: ['rules/here.md'], capabilities: ['mend:here'] }] } });
    const principal = { ...vault.localPrincipal(), capabilities: ['ssss:rule:*'] };
    const { changes } = await vault.links.fix(null, { principal });
    expect(changes.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'rules/fields.md changed',
      'rules/here.md refused',
      'runs/r/RUN.md unchangeable',
    ]);
    expect(changes[1]?.reason).toContain('mend:here');
  });

  test('a document that was moved by other means is found by what the log says', async () => {
    const vault = await vaultWith({ 'a/one.md': rule('Same bytes.\n', '', 'One'), 'n.md': rule('[x](/a/one.md)\n') });
    const { text } = (await vault.read('a/one.md'))!;
    await writeAll(vault, { 'b/two.md': text, 'c/one.md': rule('Another.\n') });
    const rm = { type: 'delete', workspace_id: vault.workspaceId, idempotency_key: 'rm', path: 'a/one.md' };
    expect(await vault.execute(rm, person(vault))).toMatchObject({ success: true });
    await vault.links.fix(null, person(vault));
    expect(bodyOf((await contents(vault))['n.md']!)).toBe('[x](/b/two.md)\n');
  });

  test('links of records are followed through every move', async () => {
    const vault = await vaultWith({ 'a/one.md': rule('One.\n'), 'runs/r/RUN.md': run('[x](/a/one.md)\n') });
    await vault.links.move('a/one.md', 'b/two.md', person(vault));
    await vault.links.move('b/two.md', 'c/three.md', person(vault));
    const { problems, sound } = await vault.links.check();
    expect(sound).toBe(true);
    expect(problems).toMatchObject([{ path: 'runs/r/RUN.md', fault: 'missing', severity: 'warning', repair: 'c/three.md' }]);
  });
});

describe('suggested links', () => {
  const named = {
    'rules/tone.md': rule('', 'aliases: [Stimme, 口调]\n', 'Tone of voice'),
    'rules/deposit.md': rule('', '', '定金政策'),
    'rules/short.md': rule('', '', 'Tone'),
    'rules/twin-a.md': rule('', '', 'Twin'),
    'rules/twin-b.md': rule('', '', 'Twin'),
    'runs/secret/RUN.md': run(''),
  };
  const suggested = async (body: string): Promise<readonly string[]> => {
    const vault = await vaultWith({ ...named, 'n/here.md': rule(body, '', 'Something else entirely') });
    return (await vault.links.suggest(['n/'])).map(({ text, target, line, column }) => `${text}→${target}@${line}:${column}`);
  };

  test.each([
    ['the longest name', 'Our Tone of voice is kind.', ['Tone of voice→rules/tone.md@8:5']],
    ['any letter case', 'our TONE OF VOICE', ['TONE OF VOICE→rules/tone.md@8:5']],
    ['an alias', 'Die Stimme.', ['Stimme→rules/tone.md@8:5']],
    ['the first mention only', 'Stimme, Stimme, Tone of voice.', ['Stimme→rules/tone.md@8:1']],
    ['a name in a script without spaces', '请看定金政策的说明。', ['定金政策→rules/deposit.md@8:3']],
    ['two documents', '- Tone\n- 定金政策\n', ['Tone→rules/short.md@8:3', '定金政策→rules/deposit.md@9:3']],
  ])('%s', async (_name, body, expected) => expect(await suggested(body)).toEqual(expected));

  test.each([
    ['part of a word', 'Tones, monotone, Tone-deaf, undertone’s'],
    ['a path or an address', 'rules/Tone.md https://e.org/Tone Tone@e.org #Tone'],
    ['code', '`Tone` ``Stimme``\n\n```\nTone\n```\n\n    Stimme\n'],
    ['a link, its label and its address', '[Tone](https://e.org) [[x|Stimme]] ![Tone](a.png) [Tone]'],
    ['a heading', '# Tone\n\nStimme\n======\n'],
    ['markup', '<b title="Tone">x</b> <!-- Stimme -->'],
    ['a document that is linked already', '[[rules/short]] Tone'],
    ['a name that two documents have', 'Twin'],
    ['a private document', 'R is for run'],
  ])('never in %s', async (_name, body) => expect(await suggested(body)).toEqual([]));

  test('are made through the contract, and every other byte stays', async () => {
    const body = 'Tone\r\n\r\n| Stimme | `Tone` |\r\n|---|---|\r\n\r\n请看定金政策。  \r\n';
    const vault = await vaultWith({ ...named, 'n/here.md': rule(body, '', 'Here') });
    const dry = await vault.links.apply(['n/'], { ...person(vault), dryRun: true });
    expect(dry.changes).toMatchObject([{ outcome: 'planned', edits: [{ from: 'Tone' }, { from: 'Stimme' }, { from: '定金政策' }] }]);
    await vault.links.apply(['n/'], person(vault));
    expect(bodyOf((await contents(vault))['n/here.md']!)).toBe(
      '[Tone](/rules/short.md)\r\n\r\n| [Stimme](/rules/tone.md) | `Tone` |\r\n|---|---|\r\n\r\n请看[定金政策](/rules/deposit.md)。  \r\n',
    );
    expect(await vault.links.suggest(['n/'])).toEqual([]);
    expect((await vault.links.apply(['n/'], person(vault))).changes).toEqual([]);
  });
});

describe('tables of contents', () => {
  const files = {
    'rules/tone.md': rule('', '', 'Tone [of] *voice*'),
    'rules/deep/er/a.md': rule('', '', 'A'),
    'top (1).md': rule('', '', 'Top'),
    'runs/r/RUN.md': run(''),
  };

  test('list what may travel, below each directory, and stay as they are while nothing changes', async () => {
    const vault = await vaultWith(files);
    const writer = person(vault);
    const pages = await vault.links.writeContents('', writer);
    expect(pages.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'index.md created',
      'rules/deep/er/index.md created',
      'rules/deep/index.md created',
      'rules/index.md created',
    ]);
    const after = await contents(vault);
    expect(after['index.md']!.split('\n').slice(1)).toEqual([
      '# /',
      '',
      '- [rules/](/rules/index.md)',
      '- [Top](/top%20%281%29.md): D',
      '',
    ]);
    expect(after['rules/index.md']!.split('\n').slice(1)).toEqual([
      '# rules',
      '',
      '- [deep/](/rules/deep/index.md)',
      '- [Tone \\[of\\] \\*voice\\*](/rules/tone.md): D',
      '',
    ]);
    const cursor = await vault.lastCursor();
    expect((await vault.links.writeContents('', writer)).map(({ outcome }) => outcome)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    expect(await vault.lastCursor()).toBe(cursor);
    expect((await vault.links.check()).problems).toEqual([]);
  });

  test('leave a page that a person wrote or edited alone, unless they are told otherwise', async () => {
    const vault = await vaultWith({ ...files, 'rules/index.md': '# My own words\n' });
    const writer = person(vault);
    expect((await vault.links.writeContents('rules', writer)).map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'rules/deep/er/index.md created',
      'rules/deep/index.md created',
      'rules/index.md kept',
    ]);
    const generated = (await vault.read('rules/deep/index.md'))!.text;
    await writeAll(vault, { 'rules/deep/index.md': `${generated}And a remark.\n`, 'rules/deep/b.md': rule('') });
    expect((await vault.links.writeContents('rules/deep', writer)).map(({ outcome }) => outcome)).toEqual(['unchanged', 'kept']);
    const forced = await vault.links.writeContents('rules', { ...writer, force: true });
    expect(forced.map(({ outcome }) => outcome)).toEqual(['unchanged', 'replaced', 'replaced']);
  });

  test('leave a page that is not UTF-8 alone, and write the others', async () => {
    const vault = await vaultWith(files, { wrapAdapters: withForeignBytes('rules/deep/index.md') });
    const pages = await vault.links.writeContents('rules', person(vault));
    expect(pages.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'rules/deep/er/index.md created',
      'rules/deep/index.md kept',
      'rules/index.md created',
    ]);
  });

  test('go away with the last document they listed, and follow documents that move', async () => {
    const vault = await vaultWith(files);
    const writer = person(vault);
    await vault.links.writeContents('', writer);
    await vault.links.move('rules/deep/er/a.md', 'rules/a.md', writer);
    const pages = await vault.links.writeContents('', writer);
    expect(pages.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'index.md unchanged',
      'rules/deep/er/index.md removed',
      'rules/deep/index.md removed',
      'rules/index.md replaced',
    ]);
    expect((await vault.links.check()).problems).toEqual([]);
  });
});
