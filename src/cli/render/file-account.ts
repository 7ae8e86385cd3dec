import type { CallResult } from '../invoke.ts';

/** `2 files`, `1 file`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`;

/** Every file found, in words: `64 files: 60 documents, 3 without frontmatter, 1 other file`. */
export const accountText = ({ found, documents, ordinary, reported }: CallResult<'vault.check'>['files']): string => {
  // Files of other kinds need nobody; they are counted, so that every file found is accounted for.
  const other = reported.filter(file => file.kind === 'not_markdown' || file.kind === 'temporary').length;
  const parts = [counted(documents, 'document'), `${ordinary} without frontmatter`, counted(other, 'other file')];
  if (reported.length > other) parts.push(`${reported.length - other} unusable`);
  return `${counted(found, 'file')}: ${parts.join(', ')}`;
};
