import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { DaemonOptions } from '#api';
import { reasonOf } from '#errors';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { invoke } from '../invoke.ts';
import { parseWhole } from '../option-values.ts';
import { relativeTime } from '../output/instant.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';
import { untilTold } from '../until-told.ts';

interface DaemonFlags {
  readonly once?: boolean;
  readonly until?: string;
  readonly workers: number;
  readonly next?: boolean;
}

/** `sheaf daemon`: makes tasks of what is due and does those that this machine can do (§11.8). */
export const addDaemonCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('daemon')
    .summary('make tasks of what is due, and do them')
    .description(
      'Fires triggers as their instants and events come, and works on the tasks that an assistant, program or service of this machine can do; the others wait to be claimed. Any number of daemons may run on one vault, and each may die at any moment. `sheaf serve` has one, too.',
    )
    .option('--once', 'do what is due now and what follows from it, then end')
    .option('--until <T>', 'end at this instant (ISO 8601)', parseInstant)
    .option('--workers <N>', 'how many tasks at once; 0 makes tasks and does none', parseWorkers, 2)
    .option('--next', 'show what fires next and what keeps triggers from firing, and do nothing')
    .action(
      bind((context, flags: DaemonFlags) => (flags.next === true ? showNext(context) : runDaemon(context, flags)), { finishes: true }),
    );
  withExamples(command, [
    'sheaf daemon',
    'sheaf daemon --once',
    'sheaf daemon --until 2026-05-16T18:00:00Z --workers 4',
    'sheaf daemon --next',
  ]);
};

const runDaemon = async (context: CommandContext, flags: DaemonFlags): Promise<void> => {
  const { printer, signal } = context;
  const vault = await context.vault();
  const told = untilTold(signal);
  const { told: lines, ...hooks } = telling(context, flags.once === true);
  const options = { workers: flags.workers, ...hooks };
  try {
    if (flags.once === true) {
      await vault.work.runDue({ ...options, signal: told.signal });
      if (lines() === 0) printer.note('nothing was done; `sheaf tasks` shows what waits, and for whom');
      return;
    }
    const ends = flags.until === undefined ? told.signal : AbortSignal.any([told.signal, untilInstant(flags.until, told.signal)]);
    const watch = await vault.watch({ signal: ends });
    printer.note(flags.until === undefined ? 'running; Ctrl-C ends it' : `running until ${flags.until}`);
    await vault.work.runDaemon({ ...options, signal: ends });
    await watch.close();
  } finally {
    told.dispose();
  }
};

/** One line for each firing and each run, and how many there were. */
const telling = (
  { printer }: CommandContext,
  once: boolean,
): Pick<DaemonOptions, 'onRound' | 'onTurn' | 'onFailure'> & { readonly told: () => number } => {
  const { good, warn, bad, dim } = printer.palette;
  let waits: string | null = null;
  let told = 0;
  const say = (value: object, line: string): void => {
    told += 1;
    void printer.value(value);
    void printer.line(line);
  };
  return {
    told: () => told,
    onRound(round) {
      if (round.waits !== null && once) throw new CliError('vault_untrusted', round.waits);
      if (round.waits !== null && round.waits !== waits) printer.note(`waiting: ${round.waits}`);
      ({ waits } = round);
      for (const { outcome, trigger, scheduledFor, taskPath, reason } of round.fired) {
        if (outcome === 'exists') continue;
        const style = { created: good, skipped: warn, failed: bad }[outcome];
        const said = `${style(outcome)}  ${visibleLine(trigger.workflow.id)} ${visibleLine(trigger.id)}  ${scheduledFor}`;
        say(
          {
            kind: 'firing',
            outcome,
            workflow_id: trigger.workflow.id,
            trigger_id: trigger.id,
            scheduled_for: scheduledFor,
            task_path: taskPath,
            reason,
          },
          `${said}${reason === null ? '' : dim(`  ${visibleLine(reason)}`)}`,
        );
      }
      for (const path of round.interrupted) say({ kind: 'interrupted', task_path: path }, `${warn('interrupted')}  ${visibleLine(path)}`);
    },
    onTurn({ taskPath, runPath, outcome }) {
      const style = outcome === 'succeeded' ? good : warn;
      say({ kind: 'run', outcome, task_path: taskPath, run_path: runPath }, `${style(outcome)}  ${visibleLine(runPath)}`);
    },
    onFailure: error => printer.note(`something failed and is tried again: ${visibleLine(reasonOf(error))}`),
  };
};

const showNext = async (context: CommandContext): Promise<void> => {
  const { printer } = context;
  const { next, rows, waits, active_triggers: active } = await invoke(context, 'runtime.status', {});
  await printer.value({ waits, active_triggers: active, next, rows });
  const now = new Date();
  const { strong, dim, warn } = printer.palette;
  await printer.table([
    ...next.map(({ at, workflow_id: workflow, trigger_id: trigger }) => [
      { text: relativeTime(at, now) },
      { text: at, style: dim },
      { text: `${visibleLine(workflow)} ${visibleLine(trigger)}`, style: strong },
    ]),
    ...rows.map(({ kind, path, reason }) => [
      { text: kind, style: warn },
      { text: visibleLine(path), style: strong },
      { text: visibleLine(reason), style: dim },
    ]),
  ]);
  if (waits !== null) printer.note(`nothing acts by itself here: ${waits}`);
  if (next.length === 0 && rows.length === 0) printer.note('no schedule is active');
};

const untilInstant = (instant: string, stop: AbortSignal): AbortSignal => {
  const ends = new AbortController();
  const wait = async (): Promise<void> => {
    // A timer counts neither sleep nor a clock that was set.
    while (Date.now() < Date.parse(instant))
      await delay(Math.min(Date.parse(instant) - Date.now(), 1000), undefined, { signal: stop, ref: false });
    ends.abort();
  };
  void wait().catch(() => undefined);
  return ends.signal;
};

const parseInstant = (text: string): string => {
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('give an ISO 8601 instant, such as 2026-05-16T18:00:00Z');
};

const parseWorkers = (text: string): number => (text === '0' ? 0 : parseWhole(64, 'a whole number from 0 to 64')(text));
