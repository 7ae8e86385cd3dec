import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { parseWhole } from '../option-values.ts';
import { relativeTime } from '../output/instant.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine, visibleText } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

interface RunOptions {
  readonly status?: string;
  readonly workflow?: string;
  readonly task?: string;
  readonly limit?: number;
}

/** `runs`: the records of work; with a run its timeline (§5.4 `run`). */
export const addRunsCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('runs')
    .summary('list runs, or show one step by step')
    .description('Lists the records of runs, the latest first; with RUN shows one from its first step to its last.')
    .argument('[RUN]', 'the path of a run')
    .option('--status <S>', 'such as running, waiting_for_human, succeeded or dead_letter')
    .option('--workflow <ID>', 'of one workflow')
    .option('--task <PATH>', 'of one task')
    .option('--limit <N>', 'how many (default: 50)', parseWhole(1000))
    .action(
      bind(async (context, run: string | undefined, options: RunOptions) => {
        if (run === undefined) await printRuns(context, options);
        else await printTimeline(context, await invoke(context, 'run.show', { run }));
      }),
    );
  withExamples(command, ['sheaf runs', 'sheaf runs --status dead_letter', 'sheaf runs runs/digest/daily/1/RUN.md']);
};

const printRuns = async (context: CommandContext, options: RunOptions): Promise<void> => {
  const { printer } = context;
  const { runs } = await invoke(context, 'run.list', { limit: 50, ...options });
  for (const run of runs) await printer.value(run);
  const now = new Date();
  await printer.table(
    runs.map((run): Cell[] => [
      { text: visibleLine(run.status ?? ''), style: styleOf(context, run.status) },
      { text: visibleLine(run.path), style: printer.palette.strong },
      { text: run.step_count === null ? '' : `${run.step_count} steps` },
      { text: run.started_at === null ? '' : visibleLine(relativeTime(run.started_at, now)), style: printer.palette.dim },
    ]),
    1,
  );
  if (runs.length === 0) printer.note('no runs');
};

type Run = CallResult<'run.show'>;

const printTimeline = async (context: CommandContext, run: Run): Promise<void> => {
  const { printer } = context;
  await printer.value(run);
  if (printer.json) return;
  const { strong, dim } = printer.palette;
  await printer.line(`${strong(visibleLine(run.title ?? run.path))}  ${styleOf(context, run.status)(visibleLine(run.status ?? ''))}`);
  if (run.task_path !== null) await printer.line(dim(`for ${visibleLine(run.task_path)}`));
  let last = run.steps[0]?.timestamp;
  for (const [index, { number, name, timestamp, status, text }] of run.steps.entries()) {
    const [bend, edge] = index === run.steps.length - 1 ? ['└', ' '] : ['├', '│'];
    const since = last === undefined || index === 0 ? visibleLine(timestamp) : sinceText(last, timestamp);
    last = timestamp;
    await printer.line(
      `${dim(`${bend}─`)} ${number} ${strong(visibleLine(name))}  ${styleOf(context, status)(visibleLine(status ?? ''))}  ${dim(since)}`,
    );
    for (const line of visibleText(text).split('\n')) await printer.line(`${dim(edge)}    ${line}`);
  }
  if (run.steps.length === 0) printer.note('no steps yet');
};

const sinceText = (before: string, after: string): string => {
  const seconds = Math.round((Date.parse(after) - Date.parse(before)) / 1000);
  return Number.isNaN(seconds)
    ? ''
    : seconds < 120
      ? `+${seconds} s`
      : seconds < 7200
        ? `+${Math.round(seconds / 60)} min`
        : `+${Math.round(seconds / 3600)} h`;
};

const styleOf = ({ printer }: CommandContext, status: string | null) => {
  const { good, warn, bad } = printer.palette;
  if (status === 'succeeded' || status === 'ok') return good;
  return status === 'failed' || status === 'dead_letter' || status === 'canceled' ? bad : warn;
};
