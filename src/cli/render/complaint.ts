import { isVaultError, reasonOf } from '#errors';
import { CliError, UsageError } from '../cli-error.ts';
import type { Printer } from '../output/printer.ts';
import { visibleLine, visibleText } from '../output/terminal-text.ts';

/** A field issue as responses and calls carry it. */
interface Issue {
  readonly field: string;
  readonly issue: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Says on standard error what went wrong, with the error code in brackets, each place and its remedy. */
export const complain = (error: unknown, printer: Printer): void => {
  if (error instanceof UsageError) {
    printer.complain(`${prefix(printer)} ${visibleLine(error.message)}`);
    return;
  }
  if (isVaultError(error)) {
    complainAbout(printer, error.code, error.message, error.details.issues ?? []);
    return;
  }
  const { message, code, issues } = describe(error);
  complainAbout(printer, code, message, issues);
};

/** The same for a refusal that came as a response (§6.5). `path` is where its issues are. */
export const complainAbout = (printer: Printer, code: string, message: string, issues: readonly Issue[], path?: string | null): void => {
  const { dim } = printer.errorPalette;
  const summary = issues.length > 1 && path ? `${path}: ${issues.length} problems` : `${path ? `${path}: ` : ''}${message}`;
  printer.complain(`${prefix(printer)} ${visibleText(summary)} ${dim(`[${code}]`)}`);
  if (issues.length > 1) for (const issue of issues) printer.complain(`  ${visibleLine(issueLine(issue, path))}`);
  if (code !== 'checks_failed') printer.note(dim(`  what it means: sheaf explain ${code}`));
};

const prefix = (printer: Printer): string => printer.errorPalette.bad('sheaf:');

/** `rules/tone.md:3:1 name: …`; the place only as far as it is known. */
export const issueLine = (issue: Issue, path?: string | null): string => {
  const place = [path, issue.line, issue.line === undefined ? undefined : issue.column].filter(
    part => part !== undefined && part !== null && part !== '',
  );
  return `${place.length > 0 ? `${place.join(':')} ` : ''}${issue.field}: ${issue.issue}`;
};

const describe = (error: unknown): { readonly message: string; readonly code: string; readonly issues: readonly Issue[] } => {
  if (error instanceof CliError) return { message: error.message, code: error.code, issues: [] };
  const message = reasonOf(error);
  // Rooms outside the contract (registry, policy) have their own codes; a disk error's code is no code of ours.
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' && /^[a-z_]+$/.test(error.code)
      ? error.code
      : 'internal_error';
  return { message, code, issues: [] };
};
