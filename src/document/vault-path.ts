import { foldPath } from './fold-path.ts';
import { isWellFormed } from './utf8.ts';

const maximumPathBytes = 1024;
const maximumSegmentBytes = 255;

/**
 * Why an envelope of any type must be refused for its path, or null (§6.1, readings: paths). Syntax only: links, parents and
 * twins on the disk are the store's to check.
 *
 * @example checkPath('rules/../x.md') // "The path has a '..' segment."
 */
export const checkPath = (path: string): string | null => {
  if (path === '') return 'The path is empty.';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return "The path is absolute; write it from the vault's root, without a leading '/'.";
  if (path.includes('\\')) return "The path holds a backslash; separate folders with '/'.";
  if (/[\0-\x1f\x7f]/.test(path)) return 'The path holds a control character.';
  if (!isWellFormed(path)) return 'The path holds a lone surrogate.';
  if (Buffer.byteLength(path) > maximumPathBytes) return `The path is longer than ${maximumPathBytes} bytes.`;
  for (const segment of path.split('/')) {
    if (segment === '') return 'The path has an empty segment.';
    if (segment === '.' || segment === '..') return `The path has a '${segment}' segment.`;
    if (Buffer.byteLength(segment) > maximumSegmentBytes) return `A segment of the path is longer than ${maximumSegmentBytes} bytes.`;
    if (isReservedSegment(segment)) return `'${segment}' is reserved for the host.`;
  }
  return null;
};

/**
 * Why a document may not be addressed by, or created at, a path that `checkPath` accepts, or null (readings: paths). Creating asks for
 * a name that every operating system can hold.
 */
export const checkDocumentPath = (path: string, use: { readonly creating: boolean }): string | null => {
  const refused = checkPath(path);
  if (refused !== null) return refused;
  if (!path.endsWith('.md')) return "A document's path ends in '.md'.";
  if (!use.creating) return null;
  for (const segment of path.split('/')) {
    const character = /[<>:"|?*]/.exec(segment)?.[0];
    if (character !== undefined) return `The path holds '${character}', which Windows cannot store.`;
    if (/[. ]$/.test(segment)) return `'${segment}' ends in a dot or a space, which Windows cannot store.`;
    if (/^(?:con|prn|aux|nul|(?:com|lpt)[1-9¹²³]) *(?:\.|$)/i.test(segment)) return `'${segment}' is a device name on Windows.`;
  }
  return null;
};

/** True when any segment names what belongs to the host or to git: `.git`, `.ssss`, `.ssss-*`, in any spelling a disk would accept. */
export const isReservedPath = (path: string): boolean => path.split('/').some(isReservedSegment);

// macOS ignores default-ignorable code points in names, Windows ignores trailing dots and spaces, opens the folder itself
// through `name::$INDEX_ALLOCATION`, and gives dotted folders short names such as GIT~1 and SSSS-I~1: all of them reach the same folder.
const isReservedSegment = (segment: string): boolean => {
  if (/^[\0-\-/-\x7d\x7f][\0-\x7d\x7f]*$/.test(segment)) return false;
  const bare = segment.replace(/\p{Default_Ignorable_Code_Point}/gu, '').replace(/:.*$/s, '');
  const name = foldPath(bare).replace(/[. ]+$/, '');
  return name === '.git' || name === '.ssss' || name.startsWith('.ssss-') || /^(?:git|ssss(?:-\w?)?)~\d$/.test(name);
};

/** True for a directory index (§4.3, readings: index pages): the last segment is exactly `index.md`, at any depth. */
export const isIndexPath = (path: string): boolean => path === 'index.md' || path.endsWith('/index.md');
