import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth, fitEnd, fitText, visibleLine, visibleText } from './terminal-text.ts';

test.each([
  ['\u001b[31mred', '\\x1b[31mred'],
  ['a\u202egnp.exe', 'a<U+202E>gnp.exe'],
  ['\u009b2J', '\\x9b2J'],
  ['line\r\nnext\rover', 'line\r\nnext\\x0dover'],
  ['tab\tand\nline', 'tab\tand\nline'],
  ['\ud800', '\\ud800'],
  ['日本語 and 🙂', '日本語 and 🙂'],
])('%j is shown as %j', (stored, shown) => {
  expect(visibleText(stored)).toBe(shown);
});

test('no text can bring a control or bidi character to the terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(visibleLine(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
    }),
  );
});

test('width counts columns, not code units', () => {
  expect(displayWidth('日本')).toBe(4);
  expect(displayWidth('e\u0301')).toBe(1);
  expect(displayWidth('🙂')).toBe(2);
});

test('text is cut to columns and says so', () => {
  expect(fitText('日本語', 5)).toBe('日本…');
  expect(fitText('short', 5)).toBe('short');
});

test('a path is cut at its beginning', () => {
  expect(fitEnd('memory/facts/日本.md', 8)).toBe('…日本.md');
  expect(fitEnd('a.md', 8)).toBe('a.md');
});
