import { SyntaxProblem } from './scanner.ts';
import { lineAt } from './text-position.ts';
import type { Value } from './value.ts';

/** Levels of maps and lists, the frontmatter itself being the first (FT2). */
export const maximumDepth = 64;

/** Bytes of a frontmatter block between its fences (FT2). */
export const maximumFrontmatterBytes = 1024 * 1024;

/** The patch key for the body; never a frontmatter key at any depth (Appendix A, Q19). */
export const bodyKey = '__body__';

interface KeyPlace {
  readonly text: string;
  readonly offset: number;
  /** Where the map's earlier key of the same name stands. */
  readonly firstOffset: number;
}

/** Adds a member to a map that is being read; a key twice in one map is refused naming both lines (FT2). */
export const setMember = (map: Record<string, Value>, key: string, value: Value, place: KeyPlace): void => {
  checkKey(map, key, place);
  map[key] = value;
};

export const checkKey = (map: Record<string, Value>, key: string, place: KeyPlace): void => {
  // Values are never undefined, so this is the own-property test of a map without a prototype.
  if (map[key] !== undefined) throw new SyntaxProblem(duplicateMessage(key, place), place.offset);
  if (key === bodyKey)
    throw new SyntaxProblem(`'${bodyKey}' names the body in a patch and cannot be a frontmatter key.`, place.offset, bodyKey);
};

const duplicateMessage = (key: string, { text, offset, firstOffset }: KeyPlace): string =>
  `The key '${key}' stands twice in one map, on line ${lineAt(text, firstOffset)} and on line ${lineAt(text, offset)}: keep one.`;
