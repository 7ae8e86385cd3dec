import { keyText, numberText, quotedText, stringText } from './scalar-text.ts';
import { type FrontmatterMap, isMap, type Value } from './value.ts';

/**
 * Canonical lines of one entry (readings: writing frontmatter), without line ends: scalars on the key's line, lists and maps as blocks
 * two columns deeper, empty ones inline.
 *
 * @example entryLines('tags', ['a', 'b'], 0) // ['tags:', '  - a', '  - b']
 */
export const entryLines = (key: string, value: Value, indent: number): string[] => {
  const lines: string[] = [];
  pushEntry(lines, ' '.repeat(indent), indent, key, value);
  return lines;
};

/** Adds an entry; `lead` is what stands before its key: indentation, or indentation and list dashes. */
const pushEntry = (lines: string[], lead: string, column: number, key: string, value: Value): void => {
  const inline = inlineText(value);
  lines.push(inline === null ? `${lead}${keyText(key)}:` : `${lead}${keyText(key)}: ${inline}`);
  if (inline !== null) return;
  if (isMap(value)) pushMap(lines, ' '.repeat(column + 2), column + 2, value);
  else pushList(lines, ' '.repeat(column + 2), column + 2, value as readonly Value[]);
};

const pushMap = (lines: string[], firstLead: string, column: number, map: FrontmatterMap): void => {
  let lead = firstLead;
  for (const key of Object.keys(map)) {
    pushEntry(lines, lead, column, key, map[key] as Value);
    lead = ' '.repeat(column);
  }
};

const pushList = (lines: string[], firstLead: string, column: number, items: readonly Value[]): void => {
  let lead = firstLead;
  for (const item of items) {
    const inline = inlineText(item);
    if (inline !== null) lines.push(`${lead}- ${inline}`);
    else if (isMap(item)) pushMap(lines, `${lead}- `, column + 2, item);
    else if (holdsMap(item as readonly Value[])) lines.push(`${lead}- ${flowText(item)}`);
    else pushList(lines, `${lead}- `, column + 2, item as readonly Value[]);
    lead = ' '.repeat(column);
  }
};

/** Text of a value that stands on its key's or dash's line, or null for a list or map with members. */
const inlineText = (value: Value): string | null => {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'number') return numberText(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : null;
  return Object.keys(value).length === 0 ? '{}' : null;
};

const holdsMap = (items: readonly Value[]): boolean => items.some(item => (Array.isArray(item) ? holdsMap(item) : isMap(item)));

/** One-line JSON; in a list within a list, blocks of maps would be hard to read for people and for older parsers. */
const flowText = (value: Value): string => {
  if (typeof value === 'string') return quotedText(value);
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (isMap(value)) {
    const members = Object.keys(value).map(key => `${quotedText(key)}: ${flowText(value[key] as Value)}`);
    return `{${members.join(', ')}}`;
  }
  return inlineText(value) as string;
};
