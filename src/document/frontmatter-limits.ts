import { SyntaxProblem } from './scanner.ts';
import { lineAt } from './text-position.ts';

/** Levels of maps and lists, the frontmatter itself being the first (readings: frontmatter grammar). */
export const maximumDepth = 64;

/** Bytes of a frontmatter block between its fences (readings: frontmatter grammar). */
export const maximumFrontmatterBytes = 1024 * 1024;

/** The patch key for the body; never a frontmatter key at any depth (readings: reserved keys). */
export const bodyKey = '__body__';

/** Refuses a key that its map already has, naming both lines of the file (readings: frontmatter grammar), or the patch key of the body. */
export const refuseKey = (block: string, key: string, offset: number, firstOffset: number | undefined): never => {
  if (key === bodyKey) throw new SyntaxProblem(`'${bodyKey}' names the body in a patch and cannot be a frontmatter key.`, offset, bodyKey);
  // The block starts on the file's second line.
  const lines = `on line ${lineAt(block, firstOffset ?? offset) + 1} and on line ${lineAt(block, offset) + 1}`;
  throw new SyntaxProblem(`The key '${key}' stands twice in one map, ${lines}: keep one.`, offset);
};
