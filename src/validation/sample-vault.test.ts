import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hashContent, parseDocument } from '#document';
import { composeRegistry, parseExtension, primitiveToExtension } from '#registry';
import { lintDocument, snapshotOf, validateDocument } from './index.ts';

const sample = new URL('../../examples/sample-vault/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, sample), 'utf8');
const paths = (readdirSync(new URL('vault/', sample), { recursive: true }) as string[])
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => path.endsWith('.md'));
const texts = new Map(paths.map(path => [path, read(`vault/${encodeURI(path)}`)]));
const extensions = ['language.json', 'rental.json'].map(file => parseExtension(read(`extensions/${file}`), file));
const registry = composeRegistry({ extensions });

function lookup(path: string) {
  const text = texts.get(path);
  return text === undefined ? null : snapshotOf(parseDocument(text), hashContent(text), registry);
}

test('every document of the sample vault is valid, without a warning or a hint', () => {
  const documents = [...texts].filter(([, text]) => parseDocument(text).kind !== 'ordinary');
  expect(documents.length).toBeGreaterThanOrEqual(40);
  for (const [path, text] of documents) {
    const parsed = parseDocument(text);
    const { errors, warnings } = validateDocument(parsed, registry, lookup);
    const hints = lintDocument({ path, parsed, registry, exists: other => texts.has(other) });
    expect([path, errors, warnings, hints]).toEqual([path, [], [], []]);
  }
});

test('the sample’s primitive document becomes an extension that loads beside the others', () => {
  const parsed = parseDocument(read('vault/primitives/workshop/inspection.md'));
  if (parsed.kind !== 'document') throw new Error('no document');
  const workshop = parseExtension(primitiveToExtension([parsed.document.data], 'workshop', '1.0.0'), 'workshop.json');
  const composed = composeRegistry({ extensions: [workshop, ...extensions] });
  expect(composed.resolve('safety_check')).toMatchObject({
    qualified: 'workshop:inspection',
    required_fields: ['inspected_on', 'verdict'],
  });
});
