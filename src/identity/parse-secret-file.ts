import { z } from 'zod';
import { readJson } from '#registry';

/** Parses a file of the machine state that holds secrets. Throws an Error that names the file, the place and the remedy, and quotes nothing of it. */
export const parseSecretFile = <T>(
  text: string,
  { path, shape, remedy }: { readonly path: string; readonly shape: z.ZodType<T>; readonly remedy: string },
): T => {
  try {
    return shape.parse(readJson(text).value);
  } catch (error) {
    const where = error instanceof z.ZodError ? error.issues[0]?.path.join('.') : null;
    throw new Error(`${path} cannot be read${where ? ` (${where})` : ''}: restore it, or delete it and ${remedy}`);
  }
};
