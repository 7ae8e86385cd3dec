import { expect, test } from 'vitest';
import { hashContent, parseDocument } from '#document';
import { composeRegistry } from '#registry';
import { ruleText } from '../search/index-fixture.ts';
import { baselineProjection, type RecordSource } from './build-record.ts';
import type { ReadFile } from './document-facts.ts';

const registry = composeRegistry({ extensions: [] });

const source = (files: Readonly<Record<string, string>>, order: (paths: string[]) => string[] = paths => paths): RecordSource => {
  const read = (path: string): ReadFile => {
    const text = files[path] ?? '';
    return { path, hash: hashContent(text), parsed: parseDocument(text) };
  };
  return {
    files: async function* () {
      for (const path of order(Object.keys(files))) yield read(path);
    },
    file: async path => (path in files ? read(path) : null),
  };
};

const linesOf = async (from: RecordSource, options = { private: false }) => {
  const lines: string[] = [];
  for await (const line of baselineProjection(from, registry, options)) lines.push(line);
  return lines;
};

const vault = {
  'b.md': ruleText('B', 'See [[a]] and [[secret]] and [[gone]].', [
    'semantic_id: concept.b',
    'resource: https://e.x/b',
    'language: es-MX',
    'locale: es',
  ]),
  'a.md': ruleText('Änderung', 'The *text* of prefer-atomic-writes.', [
    'resource: https://e.x/a',
    'locale: ja',
    'tags: [zoo]',
    'aliases: [Alt]',
  ]),
  'secret.md': ruleText('Secret', 'zebra', ['x_portability: tenant_private']),
  'plain.md': 'A plain note.',
  'index.md': '# Index\n[a](/a.md)',
  'broken.md': '---\ntype: [\n---\n',
};

test('a record names identity, class, language, what a person reads, and its edges', async () => {
  const [a, b, ...rest] = (await linesOf(source(vault))).map(line => JSON.parse(line));
  expect(rest).toEqual([]);
  expect(a).toMatchObject({
    identity: 'https://e.x/a',
    path: 'a.md',
    content_hash: hashContent(vault['a.md']),
    primitive_type: 'ssss:rule',
    portability: 'structural',
    language: 'ja',
    title: 'Änderung',
    text: 'Änderung\nD\nAlt\nzoo\nThe text of prefer-atomic-writes.',
    edges: [],
  });
  expect(a.tokens).toEqual(expect.arrayContaining(['anderung', 'prefer-atomic-writes', 'atomic', 'zoo', 'alt']));
  expect(b).toMatchObject({ identity: 'concept.b', language: 'es-MX' });
  expect(b.edges).toEqual([
    { kind: 'wiki', name: null, target: 'a', path: 'a.md' },
    { kind: 'wiki', name: null, target: 'gone', path: null },
  ]);
});

test('private documents and edges to them are there only when asked for', async () => {
  const open = (await linesOf(source(vault))).join('');
  expect(open).not.toMatch(/zebra|"secret\.md"/);
  const all = (await linesOf(source(vault), { private: true })).map(line => JSON.parse(line));
  expect(all.map(record => record.path)).toEqual(['a.md', 'b.md', 'secret.md']);
  expect(all[1].edges[1]).toEqual({ kind: 'wiki', name: null, target: 'secret', path: 'secret.md' });
});

test('the projection is the same bytes whatever order the files are found in', async () => {
  const first = await linesOf(source(vault), { private: true });
  expect(
    await linesOf(
      source(vault, paths => paths.toReversed()),
      { private: true },
    ),
  ).toEqual(first);
  expect(
    await linesOf(
      source(vault, paths => paths.toSorted()),
      { private: true },
    ),
  ).toEqual(first);
});

test('the payload of an asset is no text', async () => {
  const asset = (encoding: string) => ruleText('Logo', 'aGVsbG8gd29ybGQ=', [`encoding: ${encoding}`]).replace('type: rule', 'type: asset');
  const texts = (await linesOf(source({ 'a.md': asset('base64'), 'b.md': asset('utf-8') }))).map(line => JSON.parse(line).text);
  expect(texts).toEqual(['Logo\nD', 'Logo\nD\naGVsbG8gd29ybGQ=']);
});
