import { hashContent } from './content-hash.ts';
import { withFewMarks } from './few-marks.ts';

// Leaves room in a 255-byte file name for `.md` and a suffix.
const maximumBytes = 200;

/**
 * A file name for a title in any script: NFC, lower case, letters, marks and digits kept, everything else a dash. Never
 * empty, never a Windows device name; a title that leaves nothing, or had to be cut, carries a hash so that two such titles
 * stay two files.
 *
 * @example slugify('Ärger im Büro!') // 'ärger-im-büro'
 */
export const slugify = (title: string): string => {
  const words = withFewMarks(
    withFewMarks(title)
      .normalize('NFC')
      .toLowerCase()
      .normalize('NFC')
      .replace(/['’\p{Default_Ignorable_Code_Point}]/gu, ''),
  )
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^[-\p{M}]+|-$/gu, '');
  if (words === '' || /^(?:con|prn|aux|nul|(?:com|lpt)[1-9¹²³])$/.test(words)) return `${words || 'untitled'}-${digest(title)}`;
  return Buffer.byteLength(words) <= maximumBytes ? words : `${cut(words)}-${digest(title)}`;
};

const digest = (title: string): string =>
  hashContent(title.replace(/\p{Surrogate}/gu, '\ufffd')).slice('sha256:'.length, 'sha256:'.length + 8);

/** The longest beginning that fits, cut between characters as people see them. */
const cut = (text: string): string => {
  let bytes = 0;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maximumBytes) break;
    end = index + segment.length;
  }
  return text.slice(0, end).replace(/-$/, '');
};
