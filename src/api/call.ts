import { z } from 'zod';
import { type FieldIssue, VaultError } from '#errors';
import type { Caller } from './read-rights.ts';
import type { Vault } from './vault.ts';

/** One call of the product. Every surface renders these and adds nothing of its own. */
export interface Call<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  /** `noun.verb`, one name everywhere. */
  readonly name: string;
  readonly summary: string;
  readonly input: I;
  readonly output: O;
  handler(vault: Vault, caller: Caller, input: z.output<I>): Promise<z.input<O>>;
}

/** Declares a call; the schemas give the handler its types. */
export const defineCall = <I extends z.ZodType, O extends z.ZodType>(call: Call<I, O>): Call<I, O> => Object.freeze(call);

/**
 * Runs a call on untrusted input. Throws `VaultError('invalid_request')` naming every member that does not fit the schema, and whatever the
 * handler throws.
 */
export const runCall = async <I extends z.ZodType, O extends z.ZodType>(
  call: Call<I, O>,
  vault: Vault,
  caller: Caller,
  input: unknown,
): Promise<z.input<O>> => call.handler(vault, caller, parseInput(call.name, call.input, input));

/** The input as the schema has it. Throws `VaultError('invalid_request')` naming every member that does not fit. */
export const parseInput = <I extends z.ZodType>(name: string, shape: I, input: unknown): z.output<I> => {
  const parsed = shape.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues: FieldIssue[] = parsed.error.issues.map(issue => ({ field: issue.path.join('.') || 'input', issue: issue.message }));
  const message = issues.map(({ field, issue }) => `${field}: ${issue}`).join(' ');
  throw new VaultError('invalid_request', { issues }, `${name}: ${message}`);
};

/** §6.5 `field_errors`, problems of `check`. */
export const fieldIssueShape = z.object({
  field: z.string(),
  issue: z.string(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
});

/** How many rows one answer may hold. */
export const limitShape = z.number().int().min(1).max(1000).default(200);
