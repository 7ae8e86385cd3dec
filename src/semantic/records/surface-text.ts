/**
 * A Markdown body as a person reads it: no marks, no addresses, no comments; code is text. Linear in time whatever the input, and not a renderer: what
 * it does not know stays as it is written.
 *
 * @example surfaceText('## Say **why**\n\nSee [[tone|the tone]].') // 'Say why\nSee the tone.'
 */
export const surfaceText = (body: string): string => {
  const lines: string[] = [];
  let fence: string | null = null;
  let inComment = false;
  for (const line of body.split(/\r?\n/)) {
    if (fence !== null) {
      const closing = closingFence(line, fence);
      if (closing) fence = null;
      else lines.push(line.trim());
      continue;
    }
    const opening = inComment ? undefined : /^[ \t>]*(?:[-+*][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (opening !== undefined) {
      fence = opening;
      continue;
    }
    const uncommented = withoutComments(line, inComment);
    inComment = uncommented.open;
    const text = readableLine(uncommented.text);
    if (text !== '') lines.push(text);
  }
  return lines.filter(line => line !== '').join('\n');
};

const closingFence = (line: string, fence: string): boolean => {
  const bare = line.replace(/^[ \t>]+/, '').trimEnd();
  return bare.length >= fence.length && bare === (fence[0] ?? '').repeat(bare.length);
};

const withoutComments = (line: string, open: boolean): { readonly text: string; readonly open: boolean } => {
  let text = '';
  let inside = open;
  for (let at = 0; ; ) {
    const next = line.indexOf(inside ? '-->' : '<!--', at);
    if (!inside) text += next < 0 ? line.slice(at) : line.slice(at, next);
    if (next < 0) return { text, open: inside };
    at = next + (inside ? 3 : 4);
    inside = !inside;
  }
};

// For a line without spaces around it: spaces at two places of one expression would make a long blank line cost its square.
const tableRule = /^\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*$/;
const rule = /^[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)$/;
const definition = /^ {0,3}\[(?!\^)[^[\]]{1,999}\]:[ \t]*\S+/;

const readableLine = (line: string): string => {
  if (rule.test(line) || definition.test(line) || tableRule.test(line.trim())) return '';
  const content = line
    .replace(/^(?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))+/, '')
    .replace(/^#{1,6}(?=[ \t]|$)/, '')
    .replace(/^\[[ xX]\](?=[ \t])/, '');
  return withoutMarks(content)
    .replace(/\t|[ \t]{2,}/g, ' ')
    .trim();
};

const withoutMarks = (text: string): string => {
  if (!/[[\]`*_~<|&\\]/.test(text)) return text;
  return text
    .replace(/!?\[\[([^[\]\n]+)\]\]/g, (_, inner: string) => wikiLabel(inner))
    .replace(/!?\[([^[\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)/g, '$1')
    .replace(/!?\[([^[\]\n]*)\]\[[^[\]\n]*\]/g, '$1')
    .replace(/<(https?:[^<>\s]*)>/g, '$1')
    .replace(/<\/?[A-Za-z][^<>\n]{0,300}>/g, ' ')
    .replace(/(?<!\\)(?:[*`]+|~~)/g, '')
    .replace(/(?<![\p{L}\p{N}_\\])_+|_+(?![\p{L}\p{N}_])/gu, '')
    .replace(/(?<!\\)\|/g, ' ')
    .replace(/&(amp|lt|gt|quot|apos|nbsp|#39);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
};

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', '#39': "'" };

/** What is shown for `[[target#heading|label]]`; a table cell writes the pipe as `\|`. */
const wikiLabel = (inner: string): string => {
  const pipe = /\\?\|/.exec(inner);
  return pipe === null ? inner.replace(/#\^?/g, ' ').trim() : inner.slice(pipe.index + pipe[0].length).trim();
};
