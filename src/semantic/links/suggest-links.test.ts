import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLinkMap } from './link-map.ts';
import { linkedDocuments, ruleText } from './linked-fixture.ts';
import { createLinkSuggester, withSuggestedLinks } from './suggest-links.ts';

const named = { 'rules/a (1).md': ruleText('title: Tone'), 'rules/b.md': ruleText('title: 定金政策\naliases: [Größe, café]') };
const pieces = [
  'Tone',
  'tone',
  'Tones',
  '定金政策',
  '的',
  'Größe',
  'cafe\u0301',
  ' ',
  '\n',
  '\r\n',
  '`',
  '**',
  '[',
  ']',
  '(',
  ')',
  '<',
  '>',
  '#',
  '- ',
  '|',
  '\\',
  '!',
  '.',
  'x',
];

test('taking the links away again gives the text back, byte for byte, and making them twice makes none', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 25 }), chosen => {
      const text = ruleText('title: Here', chosen.join(''));
      const documents = linkedDocuments({ ...named, 'n.md': text });
      const suggest = createLinkSuggester(createLinkMap(documents));
      const found = suggest(documents.at(-1)!, text);
      const linked = withSuggestedLinks(text, found);
      expect(linked.replaceAll(/\[([^[\]]*)\]\(\/rules\/(?:a%20%281%29|b)\.md\)/g, '$1')).toBe(text);
      for (const { start, end, text: mention } of found) expect(text.slice(start, end)).toBe(mention);
      const again = linkedDocuments({ ...named, 'n.md': linked });
      const remaining = createLinkSuggester(createLinkMap(again))(again.at(-1)!, linked);
      expect(remaining.filter(({ target }) => found.some(one => one.target === target))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
