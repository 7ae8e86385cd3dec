import { describe, expect, test } from 'vitest';
import { conflictMarkers } from './index.ts';

const places = (text: string): string[] => conflictMarkers(text).map(issue => `${issue.field}:${issue.line}`);
const conflict = '<<<<<<< HEAD\nstatus: active\n=======\nstatus: archived\n>>>>>>> other\n';

describe('git conflict markers', () => {
  test('in the frontmatter are named with their line', () => {
    const text = `---\ntype: memory\n${conflict}---\n`;
    expect(places(text)).toEqual(['frontmatter:3']);
    expect(conflictMarkers(text)[0]?.issue).toContain('Conflict markers at line 3');
    expect(places(text.replaceAll('\n', '\r\n'))).toEqual(['frontmatter:3']);
  });
  test('in the body are named, one issue per conflict', () => {
    expect(places(`---\ntype: memory\n---\n\n${conflict}\ntext\n${conflict}`)).toEqual(['body:5', 'body:12']);
  });
  test('in a file without frontmatter are in the body', () => expect(places(conflict)).toEqual(['body:1']));
  test('left over alone are still named', () => {
    expect(places('---\na: 1\n---\n>>>>>>> other\n')).toEqual(['body:4']);
    expect(places('---\na: 1\n---\n<<<<<<<\n')).toEqual(['body:4']);
  });
  test.each([
    ['inside a fence', `---\na: 1\n---\n\n\`\`\`\n${conflict}\`\`\`\n`],
    ['indented', `---\na: 1\n---\n\n ${conflict.replaceAll('\n', '\n ')}`],
    ['of another length', '---\na: 1\n---\n<<<<<<<< HEAD\n>>>>>>>> x\n<<<<<< a\n'],
    ['in the middle of a line', '---\na: 1\n---\nx <<<<<<< HEAD\n'],
    ['a heading underline', '---\na: 1\n---\nTitle\n=======\n'],
  ])('%s are content', (_name, text) => expect(places(text)).toEqual([]));
});

test('a marker after another kind of line separator is text', () => {
  for (const separator of ['\u2028', '\u2029', '\r']) expect(conflictMarkers(`text${separator}<<<<<<< ours\n`)).toEqual([]);
});
