import type { Command } from 'commander';
import { askYesNo, canAsk } from '../ask.ts';
import { SilentExit } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { collect } from '../option-values.ts';
import { relativeTime } from '../output/instant.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { issueLine } from '../render/complaint.ts';
import { counted } from '../render/file-account.ts';
import type { Bind } from '../runner.ts';

/** `status`, `adopt`, `recover`: where files and log differ, and what became of half-done writes. */
export const addDriftCommands = (program: Command, bind: Bind): void => {
  addStatus(program, bind);
  addAdopt(program, bind);
  addRecover(program, bind);
};

const addStatus = (program: Command, bind: Bind): void => {
  const command = program
    .command('status')
    .summary('show where files and log differ')
    .description('Shows documents that were changed outside Sheaf, files that stand in the way, and what the vault wants a person to know.')
    .action(
      bind(async context => {
        const { printer } = context;
        const { rows, notices, files, workspace_id } = await invoke(context, 'vault.status', {});
        const all = [
          ...rows,
          ...notices.map(({ kind, message, file, offset }) => ({
            kind,
            path: file ?? null,
            reason: message,
            ...(offset === undefined ? {} : { offset }),
          })),
        ];
        for (const row of all) await printer.value(row);
        const { warn, dim, strong, good } = printer.palette;
        await printer.table(
          all.map((row): Cell[] => [
            { text: 'change' in row && row.change !== null ? `${row.kind} ${row.change}` : row.kind, style: warn },
            { text: visibleLine(row.path ?? ''), style: strong },
            { text: visibleLine(row.reason), style: dim },
          ]),
          2,
        );
        const account = `${counted(files.found, 'file')}, ${counted(files.documents, 'document')}, in workspace ${visibleLine(workspace_id)}`;
        if (all.length === 0) await printer.line(`${good('clean')}  files and log agree: ${account}`);
        else printer.note(account);
      }),
    );
  withExamples(command, ['sheaf status', 'sheaf status --json']);
};

type Adoption = CallResult<'vault.adopt'>['results'][number];

const addAdopt = (program: Command, bind: Bind): void => {
  const command = program
    .command('adopt')
    .summary('accept hand edits into the log')
    .description(
      'Validates documents that were changed outside Sheaf and records each in the log; the files are not touched. Documents that decide about rights or types (roles, models, primitives, migrations) are accepted only when named with --confirm, or when you say yes on a terminal.',
    )
    .argument('[PATH...]', 'documents or directories (default: everything that drifted)')
    .option('--confirm <PATH>', 'accept this document although it decides about rights or types (repeatable)', collect)
    .option('--correlation <ID>', 'the flow these events belong to')
    .action(
      bind(async (context, paths: readonly string[], options: { readonly confirm?: readonly string[]; readonly correlation?: string }) => {
        const request = { paths: paths.length === 0 ? undefined : paths, confirmed: options.confirm, correlation_id: options.correlation };
        const results = await confirmed(context, (await invoke(context, 'vault.adopt', request)).results, options.correlation);
        for (const result of results) await printAdoption(context, result);
        if (results.length === 0) context.printer.note('nothing to adopt: files and log agree');
        if (results.some(result => result.outcome === 'refused' || result.outcome === 'needs_confirmation'))
          throw new SilentExit(failedStatus);
      }),
    );
  withExamples(command, ['sheaf adopt', 'sheaf adopt rules/', 'sheaf adopt roles/front-desk/ROLE.md --confirm roles/front-desk/ROLE.md']);
};

/** On a terminal, asks about each document that needs it and adopts those that were accepted. */
const confirmed = async (
  context: CommandContext,
  results: readonly Adoption[],
  correlation: string | undefined,
): Promise<readonly Adoption[]> => {
  if (!canAsk()) return results;
  const answered: Adoption[] = [];
  for (const result of results) {
    const { path, outcome } = result;
    const accepted =
      outcome === 'needs_confirmation' && (await askYesNo(context, `${path}: ${result.reason ?? ''} Accept it as it is now?`));
    if (accepted)
      answered.push(...(await invoke(context, 'vault.adopt', { paths: [path], confirmed: [path], correlation_id: correlation })).results);
    else answered.push(result);
  }
  return answered;
};

const printAdoption = async ({ printer }: CommandContext, result: Adoption): Promise<void> => {
  await printer.value(result);
  const { good, bad, warn, dim } = printer.palette;
  const styles = { adopted: good, unchanged: dim, refused: bad, needs_confirmation: warn } as const;
  const what = result.outcome === 'adopted' ? `${result.outcome} ${result.action}` : result.outcome.replace('_', ' ');
  await printer.line(
    `${styles[result.outcome](what)}  ${visibleLine(result.path)}${result.reason === undefined ? '' : `  ${dim(visibleLine(result.reason))}`}`,
  );
  for (const problem of result.problems ?? []) await printer.line(`  ${visibleLine(issueLine(problem, result.path))}`);
  if (result.outcome === 'needs_confirmation')
    printer.note(`  to accept it: sheaf adopt ${visibleLine(result.path)} --confirm ${visibleLine(result.path)}`);
};

const addRecover = (program: Command, bind: Bind): void => {
  const command = program
    .command('recover')
    .summary('tell what became of interrupted writes')
    .description(
      'Decides writes that a dead process left half done (every command does so first) and prints each outcome on this machine, and what is being written now.',
    )
    .action(
      bind(async context => {
        const { printer } = context;
        const { outcomes, in_flight, unreadable } = await invoke(context, 'vault.recover', {});
        for (const row of [...outcomes, ...in_flight]) await printer.value(row);
        const now = new Date();
        const { dim, strong } = printer.palette;
        await printer.table(
          [...outcomes, ...in_flight].map((row): Cell[] => [
            { text: row.outcome.replace('_', ' '), style: strong },
            { text: visibleLine(row.path) },
            { text: 'recorded_at' in row && typeof row.recorded_at === 'string' ? relativeTime(row.recorded_at, now) : 'now' },
            { text: row.event_id, style: dim },
          ]),
          1,
        );
        if (outcomes.length + in_flight.length === 0) printer.note('no write was ever interrupted here');
        if (unreadable > 0) printer.note(`${unreadable} lines of the record of earlier recoveries could not be read`);
      }),
    );
  withExamples(command, ['sheaf recover', 'sheaf recover --json']);
};
