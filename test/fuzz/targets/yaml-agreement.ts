import type { ParsedFile } from '#document';
import { law } from '../engine/target.ts';
import { readWithJsYaml, readWithYaml, typed } from './yaml-readers.ts';

/**
 * The shared subset is what we read without a warning: every reader must give it the same keys, the same nesting and, typed by our rules
 * (§4.5), the same values. `yaml` and `js-yaml` differ from each other in odd corners of YAML 1.2; there we must agree with one of them.
 * What follows are the only places where we may stand alone.
 */
const readByUsAlone: readonly { readonly form: RegExp; readonly why: string }[] = [
  {
    form: /^\ufeff/,
    why: 'a byte order mark after the fence is part of the key; the readers drop one at the start of what they are given',
  },
  { form: /^[ -]*[@`]/m, why: 'a key may start with @ or `, which YAML reserves without giving it a meaning' },
  { form: /\\\n[ \t]*\n/, why: 'blank lines after an escaped line break are line feeds in YAML 1.2; neither reader keeps them all' },
  {
    form: /^[ ]*\t[ \t]*$/m,
    why: 'a line of nothing but white space is a blank line in YAML 1.2, whatever its tabs; the readers see indentation',
  },
];

/** What both readers read and we refuse on purpose, by what we say about it. */
const refusedByUsAlone: readonly { readonly issue: RegExp; readonly form?: RegExp; readonly why: string }[] = [
  { issue: /^Expected 'key: value'/, form: /\ufeff/, why: 'a byte order mark inside the text is a character like any other' },
  { issue: /^'__body__' names the body/, why: 'a reserved key' },
  { issue: /lone surrogate/, why: 'a text that UTF-8 cannot store' },
  { issue: /^A control character/, why: 'written as an escape or not at all' },
  { issue: /^A tab in the indentation/, why: 'even before a comment, where YAML lets it pass' },
  { issue: /^Expected ': ' after the key of an inline map/, why: '{k} is a map with a null in YAML, and a set to most people' },
  { issue: /^A pair in a list needs its own braces/, why: '[k: v] is a list of a map in YAML' },
  { issue: /^An item cannot start with '[?:]'/, why: 'keys that are written with a question mark, or not at all' },
  { issue: /^A value on the key's line cannot start with '\? '/, why: 'the same' },
  { issue: /^A key cannot start with '[?:] '/, why: 'the same' },
  { issue: /^Only one YAML document/, why: 'the fences are the only document markers' },
  { issue: /^A key cannot start with '[{[]'/, why: 'an inline map instead of the lines of one' },
  { issue: /^Nested deeper than 64 levels/, why: 'bounded, so that no document exhausts the stack' },
  { issue: /^The frontmatter is larger than 1 MiB/, why: 'bounded' },
];

const json = (value: unknown): string => JSON.stringify(value);

/** The lines between the fences, with LF line ends. Written anew, so that a slip in the split shows too. */
const blockOf = (text: string): string | null => {
  const lines = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  const isFence = (line: string): boolean => /^---[ \t]*$/.test(line);
  const close = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (!isFence(lines[0] ?? '') || close < 0) return null;
  return lines
    .slice(1, close)
    .map(line => `${line}\n`)
    .join('');
};

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether `theirs`, in which every scalar is a text, can be what `ours` was read from. */
const sameButTypes = (ours: unknown, theirs: unknown): boolean => {
  if (Array.isArray(ours))
    return Array.isArray(theirs) && ours.length === theirs.length && ours.every((item, index) => sameButTypes(item, theirs[index]));
  if (isMap(ours)) {
    const keys = Object.keys(ours);
    const same = (key: string): boolean => isMap(theirs) && Object.hasOwn(theirs, key) && sameButTypes(ours[key], theirs[key]);
    return isMap(theirs) && Object.keys(theirs).length === keys.length && keys.every(same);
  }
  return typeof theirs === 'string' ? ours === theirs || ours === typed(theirs) : theirs === null && ours === null;
};

/** Holds what we read, or refused, against the two YAML readers. */
export const agreesWithReaders = (text: string, parsed: ParsedFile): void => {
  const block = blockOf(text);
  law((block === null) === (parsed.kind === 'ordinary'), 'the fences decide whether there is frontmatter', { kind: parsed.kind });
  if (block === null || parsed.kind === 'ordinary') return;
  const yaml = readWithYaml(block);
  const jsYaml = readWithJsYaml(block);
  if (parsed.kind === 'invalid') {
    const issue = parsed.issues[0]?.issue ?? '';
    const bothRead = !('refused' in yaml) && !('refused' in jsYaml);
    law(
      !bothRead || refusedByUsAlone.some(known => known.issue.test(issue) && known.form?.test(block) !== false),
      'both YAML readers read what is refused',
      { block, issue },
    );
    return;
  }
  const { data, warnings } = parsed.document;
  if (warnings.some(({ field }) => field !== 'body')) return;
  const agrees = (!('refused' in yaml) && json(yaml.data) === json(data)) || (!('refused' in jsYaml) && sameButTypes(data, jsYaml.data));
  law(agrees || readByUsAlone.some(({ form }) => form.test(block)), 'no YAML reader agrees', { block, data, yaml, jsYaml });
};
