/** Whether a text is what an operating system says (`ENOENT: …, open '/home/…'`). Only such texts name absolute paths; a caller's words stay as they are. */
export const isSystemMessage = (text: string): boolean => /\bE[A-Z0-9]{3,}\b/.test(text);

// A quoted path may hold blanks and quotes, so it ends at the quote behind which nothing of a name can follow. Bounded, as paths are.
const quoted = /(['"`])(?:\/|[A-Za-z]:[\\/])[^\n]{0,1024}?\1(?=$|[\s,;:.)])/gm;
const bare = /(?<![\w.)>])(?:\/|[A-Za-z]:[\\/])[^\s'"`]+/g;

/**
 * The text without absolute paths: where this machine keeps its files is nobody's business but the log's.
 *
 * @example withoutHostPaths("EACCES: permission denied, open '/home/ada/a.md'") // "EACCES: permission denied, open '…'"
 */
export const withoutHostPaths = (text: string): string => text.replace(quoted, '$1…$1').replace(bare, '…');
