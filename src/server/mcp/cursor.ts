import { z } from 'zod';
import { VaultError } from '#errors';

/** Cursors are opaque to clients, and hold nothing that could be read as text: a path in one would be stored text outside a marked block. */
export const writeCursor = (parts: readonly (string | number)[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The parts of a cursor that this server gave, or a refusal. */
export const readCursor = <S extends z.ZodType>(cursor: string, shape: S): z.output<S> => {
  const parsed = shape.safeParse(parse(cursor));
  if (parsed.success) return parsed.data;
  throw notACursor();
};

/** The refusal of a cursor that this server did not give. */
export const notACursor = (): VaultError<'invalid_request'> => {
  const issue = 'not a cursor of this tool: leave it out to begin at the start, or give the one from the last reply';
  return new VaultError('invalid_request', { issues: [{ field: 'cursor', issue }] }, `cursor: ${issue}.`);
};

const parse = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
};

/** A cursor that wraps the one of a call. */
export const inner = z.tuple([z.string()]);
