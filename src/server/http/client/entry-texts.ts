/**
 * What each top-level key of a document says, as text, and the body under `__body__`. Enough to see whether a key was changed: an entry that was only
 * written differently counts as changed, never the other way round. What the values mean is the server's to know.
 */
export const entryTexts = (content: string): ReadonlyMap<string, string> => {
  const lines = content.replace(/^\ufeff/, '').split(/\r?\n/);
  const entries = new Map<string, string>();
  const end = isFence(lines[0]) ? lines.findIndex((line, index) => index > 0 && isFence(line)) : -1;
  entries.set('__body__', lines.slice(end + 1).join('\n'));
  let key: string | null = null;
  for (const line of lines.slice(1, Math.max(end, 1))) {
    key = keyOf(line) ?? key;
    // A comment between two entries belongs to no value.
    if (key === null || (line.startsWith('#') && keyOf(line) === null)) continue;
    entries.set(key, `${entries.get(key) ?? ''}${line}\n`);
  }
  return entries;
};

const isFence = (line: string | undefined): boolean => line !== undefined && /^---[ \t]*$/.test(line);

/** The key of a line that begins an entry. */
const keyOf = (line: string): string | null => {
  const quoted = /^("(?:[^"\\]|\\.)*")[ \t]*:(?:[ \t]|$)/.exec(line)?.[1] ?? null;
  if (quoted !== null) return unquoted(quoted);
  const single = /^'((?:[^']|'')*)'[ \t]*:(?:[ \t]|$)/.exec(line)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  return /^([^\s#"'[\]{},][^:]*?)[ \t]*:(?:[ \t]|$)/.exec(line)?.[1] ?? null;
};

const unquoted = (text: string): string => {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
};
