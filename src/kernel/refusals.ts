import { type FieldIssue, isVaultError, reasonOf, VaultError } from '#errors';

const placed = ({ issue, line }: FieldIssue): string =>
  line === undefined || issue.includes(`line ${line}`) ? issue : `${issue} (line ${line})`;

/** One line for people, in the standard's form: `name: Missing required field 'name'.` */
export const issueText = (issue: FieldIssue): string => `${issue.field}: ${placed(issue)}`;

const summary = (issues: readonly FieldIssue[]): string => {
  const shown = issues.slice(0, 5).map(issueText).join(' ');
  return issues.length > 5 ? `${shown} And ${issues.length - 5} more.` : shown;
};

/** Nobody mends more at once, and a megabyte of faults must not become a hundred megabytes of answer. */
const mostIssues = 100;

const firstIssues = (issues: readonly FieldIssue[]): readonly FieldIssue[] => {
  const left = issues[mostIssues];
  if (left === undefined) return issues;
  return [...issues.slice(0, mostIssues), { field: left.field, issue: `And ${issues.length - mostIssues} more; mend these first.` }];
};

/** `invalid_request` about named members. */
export const invalidRequest = (...issues: readonly FieldIssue[]): VaultError<'invalid_request'> => invalidRequests(issues);

/** The same about any number of them, more than a call takes arguments. */
export const invalidRequests = (issues: readonly FieldIssue[]): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: firstIssues(issues) }, summary(issues));

/** `validation_failed` with at least one issue (§9). */
export const validationFailed = (issues: readonly FieldIssue[]): VaultError<'validation_failed'> =>
  new VaultError('validation_failed', { issues: firstIssues(issues) }, summary(issues));

/** `internal_error` that says what could not be done and keeps the cause. */
export const internalError = (what: string, cause: unknown): VaultError<'internal_error'> =>
  new VaultError('internal_error', {}, `${what}: ${reasonOf(cause)}`, { cause });

/** Runs an adapter whose every failure means that stored state cannot be read or written. */
export async function orInternalError<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw internalError(what, error);
  }
}

/** Runs an adapter whose `VaultError` is already the answer; anything else is an internal error. */
export async function keepingRefusals<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isVaultError(error) ? error : internalError(what, error);
  }
}
