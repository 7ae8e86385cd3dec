import type { Command } from 'commander';
import { SilentExit } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { complainAbout } from '../render/complaint.ts';
import type { Bind } from '../runner.ts';

/** `mv` and `toc`: documents change their places, and pages list them. */
export const addMoveCommands = (program: Command, bind: Bind): void => {
  addMove(program, bind);
  addContents(program, bind);
};

interface MoveOptions {
  readonly dryRun?: boolean;
  readonly correlation?: string;
}

const addMove = (program: Command, bind: Bind): void => {
  const command = program
    .command('mv')
    .summary('move a document or directory, and every link to it')
    .description(
      'Gives a document, or every document of a directory, another path and rewrites every link to it, through the contract: first it is made at its new place, then the links change, then it is removed at the old one. A move that was interrupted is finished by the same command. Threads, conversations and runs cannot move.',
    )
    .argument('<OLD>', 'the document, or a directory')
    .argument('<NEW>', 'its new path; a directory keeps the name')
    .option('--dry-run', 'show every step, change nothing')
    .option('--correlation <ID>', 'the flow these events belong to')
    .action(
      bind(
        async (context, from: string, to: string, options: MoveOptions) => {
          const report = await invoke(context, 'document.move', { from, to, dry_run: options.dryRun, correlation_id: options.correlation });
          await printMove(context, report);
        },
        { finishes: true },
      ),
    );
  withExamples(command, ['sheaf mv rules/tone.md rules/voice.md', 'sheaf mv rules/ policies/ --dry-run']);
};

const printMove = async ({ printer }: CommandContext, report: CallResult<'document.move'>): Promise<void> => {
  await printer.value(report);
  const { good, bad, warn, dim, name } = printer.palette;
  const styles = { done: good, already: dim, planned: name, refused: bad, left: warn };
  for (const { step, path, outcome, edits, reason } of report.steps) {
    const said = reason === undefined ? '' : `  ${dim(visibleLine(reason))}`;
    await printer.line(`${styles[outcome](outcome)}  ${step} ${visibleLine(path)}${said}`);
    for (const { line, from, to } of edits) await printer.line(dim(`  ${line}: ${visibleLine(from)} → ${visibleLine(to)}`));
  }
  for (const { path, line, target, reason } of report.kept) {
    await printer.line(`${warn('kept')}  ${visibleLine(`${path}:${line} ${target}`)}  ${dim(visibleLine(reason))}`);
  }
  for (const { path, reason } of report.staying) await printer.line(`${warn('stays')}  ${visibleLine(path)}  ${dim(visibleLine(reason))}`);
  if (report.complete) return;
  complainAbout(printer, 'checks_failed', 'the move is not finished; the same command goes on with it', []);
  throw new SilentExit(failedStatus);
};

interface ContentsOptions {
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

const addContents = (program: Command, bind: Bind): void => {
  const command = program
    .command('toc')
    .summary('write tables of contents')
    .description(
      'Writes index.md for a directory and every directory below it, from documents that may travel: sub-directories and documents in path order, with title and description. A page that a person wrote or edited is left alone.',
    )
    .argument('[DIR]', 'a directory (default: the whole vault)')
    .option('--force', 'replace pages that a person wrote or edited')
    .option('--dry-run', 'show which pages would be written')
    .action(
      bind(async ({ printer, ...context }, directory: string | undefined, options: ContentsOptions) => {
        const { pages } = await invoke({ printer, ...context }, 'toc.write', { directory, force: options.force, dry_run: options.dryRun });
        const { good, bad, warn, dim, name } = printer.palette;
        const styles = { created: good, replaced: good, removed: good, unchanged: dim, planned: name, kept: warn, refused: bad };
        for (const page of pages) {
          await printer.value(page);
          const said = page.reason === undefined ? '' : `  ${dim(visibleLine(page.reason))}`;
          await printer.line(`${styles[page.outcome](page.outcome)}  ${visibleLine(page.path)}${said}`);
        }
        if (pages.length === 0) printer.note('nothing to list');
        if (pages.some(({ outcome }) => outcome === 'refused')) throw new SilentExit(failedStatus);
      }),
    );
  withExamples(command, ['sheaf toc', 'sheaf toc rules/', 'sheaf toc --dry-run']);
};
