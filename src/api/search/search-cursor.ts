import { createHash } from 'node:crypto';
import { VaultError } from '#errors';

/** Where a page of a search begins, and the question that it is a page of. */
export const writeSearchCursor = (offset: number, question: unknown): string =>
  Buffer.from(JSON.stringify([offset, digest(question)])).toString('base64url');

/** The place that an earlier answer to the same question named. Throws `invalid_request` for any other cursor. */
export const readSearchCursor = (cursor: string | undefined, question: unknown): number => {
  if (cursor === undefined) return 0;
  const [offset, of] = parse(cursor);
  if (Number.isSafeInteger(offset) && (offset as number) >= 0 && of === digest(question)) return offset as number;
  const issue = 'not a cursor of this search: leave it out, or repeat the question with all its filters';
  throw new VaultError('invalid_request', { issues: [{ field: 'cursor', issue }] }, `cursor: ${issue}.`);
};

const digest = (question: unknown): string => createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 12);

const parse = (cursor: string): readonly unknown[] => {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
};
