import { expect, test } from 'vitest';
import { code, codeOf, evt, memoryVault, op, patch, person, rule, type Vault, withDiskVault } from './hostile-vault.ts';

const high = '\ud83d';
const low = '\ude00';
const lone = {
  'a high surrogate': `x${high}x`,
  'a low surrogate': `x${low}x`,
  'a swapped pair': `${low}${high}`,
  'one at the end': `x${high}`,
};

test.each(Object.entries(lone))('%s is refused wherever an envelope can hold text, because it has no UTF-8 form', async (_, text) => {
  const vault = await memoryVault();
  expect(await code(vault, op('stored.md', rule('x\n')))).toBe('ok');
  const refused: readonly object[] = [
    op(`${text}.md`, rule('x\n')),
    op(`${text}/a.md`, rule('x\n')),
    evt(text, '1'),
    op('a.md', rule(text)),
    op('a.md', rule('x\n', `x_a: ${text}\n`)),
    op('a.md', rule('x\n'), { idempotency_key: text }),
    op('a.md', rule('x\n'), { workspace_id: text }),
    op('a.md', rule('x\n'), { operation_id: text }),
    op('a.md', rule('x\n'), { lease_id: text }),
    op('a.md', rule('x\n'), { primitive_type: text }),
    op('a.md', rule('x\n'), { intent: text }),
    patch('stored.md', { x_a: text }),
    patch('stored.md', { [text]: 1 }),
    patch('stored.md', { x_a: [{ [text]: 1 }] }),
    patch('stored.md', { __body__: text }),
    evt('shop', JSON.stringify(text)),
    evt('shop', `{${JSON.stringify(text)}:1}`),
    evt('shop', text),
  ];
  for (const request of refused) expect([request, await code(vault, request)]).toEqual([request, 'invalid_request']);
});

test.each(Object.entries(lone))('%s in what the host attaches is refused too', async (_, text) => {
  const vault = await memoryVault();
  const request = op('a.md', rule('x\n'));
  for (const context of [{ correlationId: text }, { causationId: text }, { ifMatch: text }])
    expect(codeOf(await vault.execute(request, { principal: person, ...context }))).toBe('invalid_request');
  const malformed = [
    { ...person, id: text },
    { ...person, workspaceIds: ['ws-a', text] },
    { ...person, capabilities: ['*:*', text] },
    { ...person, authentication: { provider: text } },
  ];
  for (const principal of malformed) expect(codeOf(await vault.execute(request, { principal }))).toBe('unauthorized');
});

test('whole pairs beside each other are no lone surrogates', async () => {
  await withDiskVault(async vault => {
    const text = `${high}${low}${high}${low}`;
    expect(await code(vault, op(`${text}.md`, rule(`${text}\n`, `${text}: ${text}\n`), { idempotency_key: text }))).toBe('ok');
    expect((await vault.read(`${text}.md`))?.text).toBe(rule(`${text}\n`, `${text}: ${text}\n`));
  });
});

const controls = { NUL: '\0', 'a bell': '\x07', 'an escape': '\x1b[31m' };

test.each(Object.entries(controls))('%s is refused in a path and in frontmatter, and kept in a body and in a payload', async (_, sign) => {
  await withDiskVault(async vault => {
    expect(await code(vault, op(`a${sign}.md`, rule('x\n')))).toBe('invalid_request');
    expect(await code(vault, evt(`a${sign}`, '1'))).toBe('invalid_request');
    expect(await code(vault, op('a.md', rule('x\n', `x_a: a${sign}b\n`)))).toBe('validation_failed');
    expect(await code(vault, op('a.md', rule('x\n', `x_${sign}: 1\n`)))).toBe('validation_failed');
    await keeps(vault, 'a.md', `a${sign}b\n`);
    expect(await code(vault, patch('a.md', { x_a: `a${sign}b` }))).toBe('ok');
    expect(await code(vault, patch('a.md', { [`x_${sign}`]: 1 }))).toBe('invalid_request');
    await keepsPayload(vault, `a${sign}b`);
    expect(await code(vault, evt('shop', '1', { idempotency_key: `k${sign}` }))).toBe('ok');
  });
});

const marks = {
  'a right-to-left override': '\u202e',
  'bidi isolates': '\u2066x\u2069',
  'a byte order mark': '\ufeff',
  'a zero-width space': '\u200b',
  'a C1 control': '\u0085',
  'a line separator': '\u2028',
  'a noncharacter': '\uffff',
  'a tag character': '\u{e0041}',
};

test.each(Object.entries(marks))('%s is kept in a body, a patch and a payload, and in a path it is a sign like others', async (_, sign) => {
  await withDiskVault(async vault => {
    await keeps(vault, 'a.md', `a${sign}b\n`);
    await keepsPayload(vault, `a${sign}b`);
    expect(await code(vault, patch('a.md', { x_a: `a${sign}b`, x_b: sign }))).toBe('ok');
    expect(await code(vault, patch('a.md', { x_c: 1 }))).toBe('ok');
    const path = `dir${sign}x/a${sign}b.md`;
    await keeps(vault, path, 'x\n');
    const paths: string[] = [];
    for await (const entry of vault.list()) paths.push(entry.path);
    expect(paths.sort()).toEqual(['a.md', path].sort());
  });
});

test('a byte order mark, a CR alone and mixed line ends at the start of a document keep their bytes', async () => {
  const vault = await memoryVault();
  const content = `\ufeff${rule('a\r\nb\rc\nd').replace('name: r\n', 'name: r\r\n')}`;
  expect(await code(vault, op('a.md', content))).toBe('ok');
  expect(Buffer.from((await vault.read('a.md'))!.bytes).equals(Buffer.from(content))).toBe(true);
  expect(await code(vault, patch('a.md', { x_a: 1 }))).toBe('ok');
  const text = Buffer.from((await vault.read('a.md'))!.bytes).toString('utf8');
  expect(text.replace(/x_a: 1\r?\n/, '')).toBe(content);
});

const keeps = async (vault: Vault, path: string, body: string): Promise<void> => {
  expect(await code(vault, op(path, rule(body)))).toBe('ok');
  expect(Buffer.from((await vault.read(path))!.bytes).toString('utf8')).toBe(rule(body));
};

const keepsPayload = async (vault: Vault, value: string): Promise<void> => {
  const key = `payload-${Buffer.from(value).toString('hex')}`;
  expect(await code(vault, evt('shop', JSON.stringify({ [value]: value }), { idempotency_key: key }))).toBe('ok');
  for await (const { event } of vault.events()) if (event.idempotency_key === key) expect(event.payload).toEqual({ [value]: value });
};
