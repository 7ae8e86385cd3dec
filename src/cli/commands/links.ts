import type { Command } from 'commander';
import { SilentExit, UsageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import { type CallResult, invoke } from '../invoke.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine, visibleText } from '../output/terminal-text.ts';
import { complainAbout } from '../render/complaint.ts';
import { counted } from '../render/file-account.ts';
import type { Bind } from '../runner.ts';

interface LinksOptions {
  readonly check?: boolean;
  readonly fix?: boolean;
  readonly suggest?: boolean;
  readonly apply?: boolean;
  readonly dryRun?: boolean;
  readonly private?: boolean;
}

/** `sheaf links`: what leads where, what leads nowhere, and what could lead somewhere. */
export const addLinksCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('links')
    .summary('show, check, repair and suggest links')
    .description(
      'Shows the links of a document in both directions. With --check: every link that leads nowhere, or that may mean several documents, as file:line:column; exits with 1 when there is one. With --fix: repairs those that can have meant one document only (another letter case, a moved document, a missing .md). With --suggest: titles and aliases in prose that could be links; --apply makes them links. Without a path, --check.',
    )
    .argument('[PATH]', 'a document; with an option also a directory (default: everything)')
    .option('--check', 'check links')
    .option('--fix', 'repair what is not ambiguous')
    .option('--suggest', 'list mentions that could be links')
    .option('--apply', 'with --suggest: make them links')
    .option('--dry-run', 'with --fix or --apply: show what would change')
    .option('--private', 'also show documents that never travel (tasks, runs, threads …)')
    .action(bind((context, path: string | undefined, options: LinksOptions) => runLinks(context, path, options)));
  withExamples(command, [
    'sheaf links rules/tone.md',
    'sheaf links --check',
    'sheaf links --fix --dry-run',
    'sheaf links memory/ --suggest',
  ]);
};

const runLinks = async (context: CommandContext, path: string | undefined, options: LinksOptions): Promise<void> => {
  const { check, fix, suggest, apply, dryRun, private: wantsPrivate } = options;
  if ([check, fix, suggest].filter(Boolean).length > 1) throw new UsageError('--check, --fix and --suggest exclude each other');
  if (apply && !suggest) throw new UsageError('--apply goes with --suggest');
  if (dryRun && !fix && !apply) throw new UsageError('--dry-run goes with --fix, or with --suggest --apply');
  const paths = path === undefined ? undefined : [path];
  if (fix) return printFixes(context, await invoke(context, 'links.fix', { paths, dry_run: dryRun }));
  if (apply) return printApplied(context, await invoke(context, 'links.apply', { paths, dry_run: dryRun }));
  if (suggest) return printMentions(context, await invoke(context, 'links.suggest', { paths }));
  if (check || path === undefined) return printReport(context, await invoke(context, 'links.check', { paths }));
  return printLinks(context, await invoke(context, 'links.show', { path, private: wantsPrivate }));
};

const printLinks = async ({ printer }: CommandContext, links: CallResult<'links.show'>): Promise<void> => {
  await printer.value(links);
  const { strong, dim, warn, name } = printer.palette;
  const place = ({ line, column }: { readonly line: number; readonly column: number }): Cell => ({ text: `${line}:${column}`, style: dim });
  const section = async (title: string, rows: Cell[][]): Promise<void> => {
    if (rows.length === 0) return;
    await printer.line(strong(title));
    await printer.table(rows, 1);
  };
  await section(
    'links to',
    links.outgoing.map(row => [
      place(row),
      { text: visibleLine(row.path), style: name },
      { text: visibleLine(row.label ?? ''), style: dim },
    ]),
  );
  await section(
    'linked from',
    links.backlinks.map(row => [
      place(row),
      { text: visibleLine(row.path), style: name },
      { text: visibleLine(row.label ?? ''), style: dim },
    ]),
  );
  await section(
    'leads nowhere',
    links.unresolved.map(row => [
      place(row),
      { text: visibleLine(row.target), style: warn },
      { text: row.candidates.length === 0 ? '' : `may be ${row.candidates.map(visibleLine).join(', ')}`, style: dim },
    ]),
  );
  if (links.outgoing.length + links.backlinks.length + links.unresolved.length === 0) printer.note('no links');
};

type Problem = CallResult<'links.check'>['problems'][number];

const printProblem = async ({ printer }: CommandContext, { path, line, column, message, severity }: Problem): Promise<void> => {
  const { bad, warn } = printer.palette;
  if (severity === 'warning' && printer.quiet) return;
  const mark = severity === 'error' ? bad('error  ') : warn('warning');
  await printer.line(`${mark}  ${visibleLine(`${path}:${line}:${column} ${message}`)}`);
};

const printReport = async (context: CommandContext, report: CallResult<'links.check'>): Promise<void> => {
  const { printer } = context;
  await printer.value(report);
  for (const problem of report.problems) await printProblem(context, problem);
  const summary = `links of ${counted(report.documents, 'file')}`;
  if (report.sound) {
    await printer.line(`${printer.palette.good('sound')}    ${summary}`);
    return;
  }
  const errors = report.problems.filter(({ severity }) => severity === 'error');
  printer.note(`${summary}; ${counted(errors.filter(({ repair }) => repair !== null).length, 'link')} can be repaired with --fix`);
  complainAbout(printer, 'checks_failed', `${counted(errors.length, 'broken link')} found`, []);
  throw new SilentExit(failedStatus);
};

type Change = CallResult<'links.fix'>['changes'][number];

const printChange = async ({ printer }: CommandContext, { path, outcome, edits, reason, diff }: Change): Promise<void> => {
  const { good, bad, warn, dim, name } = printer.palette;
  const style = { changed: good, planned: name, refused: bad, unchangeable: warn }[outcome];
  await printer.line(`${style(outcome)}  ${visibleLine(path)}${reason === undefined ? '' : `  ${dim(visibleLine(reason))}`}`);
  if (diff !== undefined) await printer.line(visibleText(diff.trimEnd()));
  else for (const { line, from, to } of edits) await printer.line(dim(`  ${line}: ${visibleLine(from)} → ${visibleLine(to)}`));
};

const endWith = (changes: readonly Change[]): void => {
  if (changes.some(({ outcome }) => outcome === 'refused')) throw new SilentExit(failedStatus);
};

const printFixes = async (context: CommandContext, fixes: CallResult<'links.fix'>): Promise<void> => {
  await context.printer.value(fixes);
  for (const change of fixes.changes) await printChange(context, change);
  for (const problem of fixes.remaining) await printProblem(context, problem);
  if (fixes.changes.length + fixes.remaining.length === 0)
    await context.printer.line(`${context.printer.palette.good('sound')}    nothing to repair`);
  endWith(fixes.changes);
};

const printApplied = async (context: CommandContext, applied: CallResult<'links.apply'>): Promise<void> => {
  await context.printer.value(applied);
  for (const change of applied.changes) await printChange(context, change);
  if (applied.changes.length === 0) context.printer.note('no mention could be a link');
  endWith(applied.changes);
};

const printMentions = async ({ printer }: CommandContext, answer: CallResult<'links.suggest'>): Promise<void> => {
  await printer.value(answer);
  const { dim, name } = printer.palette;
  await printer.table(
    answer.mentions.map((mention): Cell[] => [
      { text: visibleLine(`${mention.path}:${mention.line}:${mention.column}`), style: dim },
      { text: visibleLine(mention.text) },
      { text: visibleLine(mention.target), style: name },
    ]),
    0,
  );
  if (answer.mentions.length === 0) printer.note('no mention could be a link');
};
