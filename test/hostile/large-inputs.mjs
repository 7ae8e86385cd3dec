// What a process with little memory is asked to do; says on stdout how each request was answered, one JSON line each.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { initVault, openVault } from '#open-vault';

const [scenario, base] = process.argv.slice(2);
const root = join(base, 'vault');
const stateDir = join(base, 'state');
const mebibyte = 1024 * 1024;
const principal = {
  id: 'local:ada',
  kind: 'human',
  workspaceIds: ['ws-a'],
  capabilities: ['*:*'],
  authentication: { provider: 'test', assurance: 'verified' },
};

const head = (fields = '') => `---\ntype: rule\ntitle: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\nname: r\n${fields}---\n`;
const overhead = Buffer.byteLength(head()) - '---\n---\n'.length;
const listOf = (count, line) => Array.from({ length: count }, (_, index) => line(index)).join('');
const say = (...answer) => console.log(JSON.stringify(answer));

let keys = 0;
const send = async (vault, type, path, more) => {
  const request = { type, workspace_id: 'ws-a', idempotency_key: `large-${++keys}`, path, ...more };
  const response = await vault.execute(request, { principal });
  if (response.success) return response.replay === true ? 'replay' : 'ok';
  const issue = response.repair.field_errors[0]?.issue ?? '';
  const limit = ['1 MiB', '1024 bytes', '64 levels'].find(text => issue.includes(text));
  return limit === undefined ? response.error.code : `${response.error.code} ${limit}`;
};
const store = async (vault, what, content) => {
  say(what, await send(vault, 'operation', `${what}.md`, { content }));
};

/** What bodies of ten mebibytes are made of. */
const bodies = {
  lines: 'word word\n',
  'one line': 'x',
  emoji: '😀',
  'open links': '[[a',
  backticks: '` `` ```',
  ...(process.env.SHEAF_SOAK
    ? { brackets: '[', 'nested links': '[a](', comments: '<!--', quotes: '> ', fences: '---\n', bullets: '  - ' }
    : {}),
};

const scenarios = {
  async bodies(vault) {
    for (const [name, unit] of Object.entries(bodies)) {
      const body = unit.repeat(Math.ceil((10 * mebibyte) / Buffer.byteLength(unit)));
      await store(vault, name, `${head()}${body}`);
      const path = `${name}.md`;
      say('patched', await send(vault, 'patch', path, { patches: { x_mark: 1 } }));
      const read = await vault.read(path);
      say('kept', read.text === `${head('x_mark: 1\n')}${body}`);
      say('deleted', await send(vault, 'delete', path, {}));
    }
    say('replaced', await send(vault, 'operation', 'a.md', { content: head() }));
    say('body patch', await send(vault, 'patch', 'a.md', { patches: { __body__: 'line\n'.repeat(2 * mebibyte) } }));
  },
  async frontmatter(vault) {
    const room = mebibyte - overhead - 'x_a: \n'.length;
    await store(vault, 'exactly 1 MiB', head(`x_a: ${'y'.repeat(room)}\n`));
    await store(vault, 'a byte over 1 MiB', head(`x_a: ${'y'.repeat(room + 1)}\n`));
    await store(vault, 'ten MiB', head(`x_a: ${'y'.repeat(10 * mebibyte)}\n`));
    await store(vault, 'never closed', `---\n${'x: y\n'.repeat(2 * mebibyte)}`);
    await store(vault, 'many keys', head(listOf(90_000, index => `x${index}: 1\n`)));
    say('patched', await send(vault, 'patch', 'many keys.md', { patches: { x5: 'y', new: 1 } }));
    await store(vault, 'many keys in braces', head(`x_m: {${listOf(90_000, index => `a${index}: 1, `)}z: 1}\n`));
    await store(vault, 'one key many times', head('x_a: 1\n'.repeat(100_000)));
    await store(vault, 'many items', head(`x_l:\n${'  - a\n'.repeat(100_000)}`));
    await store(vault, 'many items in brackets', head(`x_l: [${'a, '.repeat(300_000)}a]\n`));
    await store(vault, 'many blank lines', head('\n'.repeat(900_000)));
    await store(vault, 'many comments', head('# c\n'.repeat(200_000)));
    await store(vault, 'many open quotes', head('"\n'.repeat(300_000)));
    await store(vault, 'many escapes', head(`x_q: "${'\\u0041'.repeat(150_000)}"\n`));
    await store(vault, 'a long key', head(`${'x'.repeat(900_000)}: 1\n`));
  },
  async nesting(vault) {
    const deep = 10_000;
    await store(vault, 'brackets', head(`x_l: ${'['.repeat(deep)}${']'.repeat(deep)}\n`));
    await store(vault, 'open brackets', head(`x_l: ${'['.repeat(50 * deep)}\n`));
    await store(vault, 'braces', head(`x_l: ${'{a: '.repeat(deep)}${'}'.repeat(deep)}\n`));
    await store(vault, 'indented maps', head(`x_l:\n${listOf(1400, index => `${' '.repeat(index + 1)}a:\n`)}`));
    await store(vault, 'dashes', head(`x_l:\n  ${'- '.repeat(deep)}a\n`));
    await store(vault, 'sixty-four levels', head(`x_l: ${'['.repeat(63)}${']'.repeat(63)}\n`));
    let list = 1;
    let map = 1;
    for (let level = 0; level < deep; level += 1) {
      list = [list];
      map = { a: map };
    }
    const circle = {};
    circle.self = circle;
    for (const [what, value] of Object.entries({ list, map, circle }))
      say(`patched with a ${what}`, await send(vault, 'patch', 'sixty-four levels.md', { patches: { x_l: value } }));
    say('an event of lists', await send(vault, 'event', 'shop', { content: '['.repeat(deep) + ']'.repeat(deep) }));
    say('an event of maps', await send(vault, 'event', 'shop', { content: `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}` }));
  },
  async patches(vault) {
    await store(vault, 'a', head());
    const many = count => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, index]));
    say('many keys', await send(vault, 'patch', 'a.md', { patches: many(60_000) }));
    say('too many keys', await send(vault, 'patch', 'a.md', { patches: many(200_000) }));
    say('a body of 100,000 lines', await send(vault, 'patch', 'a.md', { patches: { __body__: 'line\n'.repeat(100_000) } }));
    say('a value of 2 MiB', await send(vault, 'patch', 'a.md', { patches: { x_v: 'v'.repeat(2 * mebibyte) } }));
  },
  async events(vault) {
    const payload = index => JSON.stringify(`${index} ${'x'.repeat(mebibyte)}`);
    for (let index = 0; index < 24; index += 1)
      say('appended', await send(vault, 'event', 'shop', { content: payload(index), idempotency_key: `payload-${index}` }));
    const sizes = async from => {
      const read = [];
      for await (const { event } of from.events()) read.push([Number.parseInt(event.payload, 10), event.payload.length]);
      return read.every(([number, length], index) => number === index && length === payload(index).length - 2) && read.length;
    };
    say('read', await sizes(vault));
    await vault.close();
    // Without the index the log is read from its first line.
    rmSync(join(root, '.ssss', 'derived'), { recursive: true });
    const again = await openVault({ root, stateDir });
    say('read again', await sizes(again));
    say('replayed', await send(again, 'event', 'shop', { content: payload(3), idempotency_key: 'payload-3' }));
    say('of another content', await send(again, 'event', 'shop', { content: payload(4), idempotency_key: 'payload-3' }));
    await again.close();
  },
  async keys(vault) {
    const key = 'k'.repeat(4 * mebibyte);
    const request = { content: '1', idempotency_key: key };
    say('a key of 4 MiB', await send(vault, 'event', 'shop', request));
    say('the same', await send(vault, 'event', 'shop', request));
    say('for something else', await send(vault, 'event', 'shop', { ...request, content: '2' }));
    say('almost the same key', await send(vault, 'event', 'shop', { content: '2', idempotency_key: `${key}k` }));
    say('an operation id', await send(vault, 'event', 'shop', { content: '1', operation_id: key }));
    say('an intent', await send(vault, 'event', 'shop', { content: '1', intent: key }));
    say('a path', await send(vault, 'event', 'a/'.repeat(2 * mebibyte), { content: '1' }));
    say('a lease', await send(vault, 'event', 'shop', { content: '1', lease_id: key, operation_id: 'o' }));
    say('a type', await send(vault, 'operation', 'a.md', { content: head(), primitive_type: key }));
    let events = 0;
    for await (const _ of vault.events()) events += 1;
    say('events', events);
  },
};

await initVault({ root, workspaceId: 'ws-a' });
const vault = await openVault({ root, stateDir });
await scenarios[scenario](vault);
await vault.close();
say('peak', Math.round(process.resourceUsage().maxRSS / 1024));
