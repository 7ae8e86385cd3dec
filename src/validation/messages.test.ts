import { expect, test } from 'vitest';
import { parseDocument } from '#document';
import { loadCoreRegistry } from '#registry';
import { validateDocument } from './index.ts';

test('no message ends a sentence twice', () => {
  const texts = [
    'plain',
    '---\ntype: rule\n',
    '---\ntype: asset\nresource_ref: /abs.md\n---\n',
    '---\ntype: asset\nresource_ref: [1]\n---\n',
  ];
  const messages = texts.flatMap(text =>
    validateDocument(parseDocument(text), loadCoreRegistry(), () => null).errors.map(({ issue }) => issue),
  );
  expect(messages.length).toBeGreaterThan(texts.length);
  expect(messages.filter(message => /\.\.( |$)/.test(message))).toEqual([]);
});
