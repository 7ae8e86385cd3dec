import type { FieldIssue } from '#errors';
import { splitDocument } from './document-split.ts';
import { createRangeTest, readMarkdownBlocks } from './markdown-blocks.ts';
import { createLineCounter } from './text-position.ts';

/**
 * Where git left the two sides of a merge in a file (readings: conflict markers): one issue per conflict, field `frontmatter` or `body`,
 * at the line it starts on. Markers stand in column 0; the same text inside code in a body is content.
 */
export const conflictMarkers = (text: string): readonly FieldIssue[] => {
  if (!text.includes('<<<<<<<') && !text.includes('>>>>>>>')) return [];
  const split = splitDocument(text);
  const bodyStart = typeof split === 'string' ? 0 : split.bodyStart;
  const isInCode = createRangeTest(readMarkdownBlocks(text, bodyStart).fences);
  const lineOf = createLineCounter(text);
  const issues: FieldIssue[] = [];
  let open = false;
  // Not `^` and `$`, which also see line ends where git sees none.
  for (const match of text.matchAll(/(?<![^\n])(?:<{7}|>{7})(?= |\r?(?:\n|$))/g)) {
    const opening = match[0].startsWith('<');
    // The end of a conflict whose start was reported is no second issue.
    const reported = !opening && open;
    const field = match.index < bodyStart ? 'frontmatter' : 'body';
    if (isInCode(match.index)) continue;
    open = opening;
    if (reported) continue;
    const line = lineOf(match.index);
    issues.push({ field, issue: `Conflict markers at line ${line}: keep one side and remove the marker lines.`, line, column: 1 });
  }
  return issues;
};
