import { z } from 'zod';
import { reasonOf } from '#errors';
import { readJson } from '#registry';

const instant = z.iso.datetime({ offset: true });

/** One registered principal as `principals.json` keeps it. The token itself is nowhere. */
const principalRecord = z.strictObject({
  id: z.string().min(1),
  kind: z.enum(['human', 'agent', 'service']),
  capabilities: z.array(z.string()),
  /** Roles whose documents grant more, looked up each time; absent in files of older versions. */
  roles: z.array(z.string()).optional(),
  created_at: instant,
  expires_at: instant.nullable(),
  revoked_at: instant.nullable(),
  token_hash: z.string().regex(/^[0-9a-f]{64}$/),
});

const principalsFile = z.strictObject({ version: z.literal(1), principals: z.array(principalRecord) });

export type PrincipalRecord = z.infer<typeof principalRecord>;

/** Reads the text of `principals.json`; throws an error that names the file and the first wrong place. Unreadable means nobody is known: fail closed. */
export const parsePrincipals = (text: string, file: string): readonly PrincipalRecord[] => {
  let json: unknown;
  try {
    // Strict: `JSON.parse` keeps the last of two equal keys, and would grant what the first one does not say.
    json = readJson(text).value;
  } catch (error) {
    throw new Error(`${file} is not JSON (${reasonOf(error)}): restore it, or delete it and register its principals again`, {
      cause: error,
    });
  }
  const parsed = principalsFile.safeParse(json);
  if (parsed.success) return parsed.data.principals;
  const issue = parsed.error.issues[0];
  throw new Error(
    `${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not readable'}: restore it, or delete it and register its principals again`,
  );
};

export const printPrincipals = (principals: readonly PrincipalRecord[]): string =>
  `${JSON.stringify({ version: 1, principals }, null, 2)}\n`;
