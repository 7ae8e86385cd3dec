import type { Command } from 'commander';
import { SilentExit } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { complainAbout, issueLine } from '../render/complaint.ts';
import { accountText, counted } from '../render/file-account.ts';
import type { Bind } from '../runner.ts';

type Report = CallResult<'vault.check'>;

/** `sheaf check`: every problem of every document with its place. */
export const addCheckCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('check')
    .summary('validate documents and the log')
    .description(
      'Validates documents and reads the whole log. Prints every problem as file:line:column, and what the standard recommends as warnings. Exits with 1 when there is a problem; warnings do not count.',
    )
    .argument('[PATH...]', 'documents or directories (default: everything)')
    .action(
      bind(async (context, paths: readonly string[]) => {
        const report = await invoke(context, 'vault.check', { paths: paths.length === 0 ? undefined : paths });
        await context.printer.value(report);
        if (!context.printer.json) await printReport(context, report);
        if (report.valid) return;
        const count = report.problems.length + report.log_damage.length;
        complainAbout(context.printer, 'checks_failed', `${counted(count, 'problem')} found`, []);
        throw new SilentExit(failedStatus);
      }),
    );
  withExamples(command, ['sheaf check', 'sheaf check tasks/ rules/tone.md', 'sheaf check --json']);
};

const printReport = async ({ printer }: CommandContext, report: Report): Promise<void> => {
  const { bad, warn, good } = printer.palette;
  for (const row of report.problems) await printer.line(`${bad('error')}    ${visibleLine(issueLine(row, row.path))}`);
  for (const { file, offset, length, reason } of report.log_damage) {
    await printer.line(`${bad('error')}    ${visibleLine(`${file} byte ${offset}, ${length} bytes: ${reason}`)}`);
  }
  for (const row of printer.quiet ? [] : report.warnings)
    await printer.line(`${warn('warning')}  ${visibleLine(issueLine(row, row.path))}`);
  const summary = accountText(report.files);
  if (report.valid) await printer.line(`${good('valid')}    ${summary}`);
  else printer.note(summary);
};
