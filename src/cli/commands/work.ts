import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { collect, parseSeconds } from '../option-values.ts';
import { relativeTime } from '../output/instant.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

/** `fire`, `tasks`, `claim`, `step`, `finish`, `cancel`, `approve`, `reject`: work, from its order to its end (§11.8). */
export const addWorkCommands = (program: Command, bind: Bind): void => {
  addFire(program, bind);
  addTasks(program, bind);
  addClaim(program, bind);
  addStep(program, bind);
  addFinish(program, bind);
  addCancel(program, bind);
  addDecision(program, bind, 'approve');
  addDecision(program, bind, 'reject');
};

const addFire = (program: Command, bind: Bind): void => {
  const command = program
    .command('fire')
    .summary('make a task of a workflow now')
    .description('Fires a workflow: records it and makes one task of it. While earlier work of the trigger is active, its policy decides.')
    .argument('<WORKFLOW>', 'by path or id')
    .argument('[TRIGGER]', 'the trigger to fire (default: the manual one)')
    .option('--key <K>', 'the same key fires once')
    .action(
      bind(async (context, workflow: string, trigger: string | undefined, options: { readonly key?: string }) => {
        const { printer } = context;
        const fired = await invoke(context, 'workflow.fire', { workflow, trigger, key: options.key });
        await printer.value(fired);
        const { good, warn } = printer.palette;
        if (fired.task_path === null) await printer.line(`${warn('skipped')}  ${visibleLine(fired.reason ?? '')}`);
        else await printer.line(`${good(fired.outcome)}  ${visibleLine(fired.task_path)}`);
      }),
    );
  withExamples(command, ['sheaf fire morning-checklist', 'sheaf fire workflows/digest/WORKFLOW.md --key today']);
};

type TaskRow = CallResult<'task.list'>['tasks'][number];

const addTasks = (program: Command, bind: Bind): void => {
  const command = program
    .command('tasks')
    .summary('list tasks and what they wait for')
    .description('Lists tasks: who works on them, when they are tried again, and what keeps them waiting.')
    .option('--status <S>', 'pending, in_progress, done or failed')
    .option('--workflow <ID>', 'of one workflow')
    .action(
      bind(async (context, options: { readonly status?: string; readonly workflow?: string }) => {
        const { printer } = context;
        const now = new Date();
        const tasks: TaskRow[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page: CallResult<'task.list'> = await invoke(context, 'task.list', { ...options, cursor, limit: 1000 });
          tasks.push(...page.tasks);
          ({ cursor } = page);
        }
        for (const task of tasks) await printer.value(task);
        const style = { pending: 'warn', in_progress: 'strong', done: 'good', failed: 'bad' } as const;
        await printer.table(
          tasks.map((task): Cell[] => [
            { text: task.status, style: printer.palette[style[task.status]] },
            { text: visibleLine(task.path), style: printer.palette.strong },
            { text: visibleLine(task.title ?? '') },
            { text: visibleLine(waitingFor(task, now)), style: printer.palette.dim },
          ]),
          3,
        );
        if (tasks.length === 0) printer.note('no tasks');
      }),
    );
  withExamples(command, ['sheaf tasks', 'sheaf tasks --status pending --json']);
};

const waitingFor = (
  { status, question, blocked, next_attempt_at: next, claimed_by: worker, executor, attempts }: TaskRow,
  now: Date,
): string => {
  if (status === 'in_progress') return worker === null ? '' : `by ${worker}`;
  if (status !== 'pending') return '';
  if (question !== null) return `asks: ${question.split('\n', 1)[0] ?? ''}`;
  const again = next === null ? '' : `, tried again ${relativeTime(next, now)}`;
  if (blocked !== null) return `${blocked}${again}`;
  return attempts === 0 ? `for ${executor}${again}` : `tried ${attempts} times${again}`;
};

const addClaim = (program: Command, bind: Bind): void => {
  const command = program
    .command('claim')
    .summary('take a task to work on')
    .description(
      'Claims a task, or the next one that is to be done, and begins its run. Every report names the lease and the operation; the claim ends unless a step, or `sheaf lease renew`, keeps it.',
    )
    .argument('[TASK]', 'its path (default: the next one)')
    .requiredOption('--worker <ID>', 'who works, for people')
    .option('--ttl <SECONDS>', 'how long the claim lives without a step (default: 60, at most 86400)', parseSeconds)
    .action(
      bind(async (context, task: string | undefined, options: { readonly worker: string; readonly ttl?: number }) => {
        const { printer } = context;
        const claim = await invoke(context, 'task.claim', { task, worker: options.worker, ttl_seconds: options.ttl });
        await printer.value(claim);
        await printer.table(
          Object.entries(claim).map(([name, value]): Cell[] => [{ text: name, style: printer.palette.dim }, { text: visibleLine(value) }]),
        );
      }),
    );
  withExamples(command, ['sheaf claim --worker ada', 'sheaf claim tasks/digest/daily.md --worker ada --ttl 600']);
};

interface TicketOptions {
  readonly lease: string;
  readonly operation: string;
}

const leaseOption = ['--lease <ID>', 'the lease of the claim'] as const;
const operationOption = ['--operation <ID>', 'its operation id'] as const;

const addStep = (program: Command, bind: Bind): void => {
  const command = program
    .command('step')
    .summary('report on a claimed task')
    .description('Appends one step to the run of a claimed task, and keeps the claim alive.')
    .argument('<TASK>', 'its path')
    .argument('<TEXT>', 'what was done')
    .requiredOption(...leaseOption)
    .requiredOption(...operationOption)
    .option('--name <NAME>', 'one line that names the step (default: step)')
    .option('--status <S>', 'ok, failed, waiting or note (default: ok)')
    .option('--source <PATH>', 'a document that shaped the step (repeatable)', collect)
    .option('--key <K>', 'the same key is the same step')
    .option('--ttl <SECONDS>', 'how long the claim lives from now on', parseSeconds)
    .action(
      bind(
        async (
          context,
          task: string,
          text: string,
          options: TicketOptions & {
            readonly name?: string;
            readonly status?: string;
            readonly source?: readonly string[];
            readonly key?: string;
            readonly ttl?: number;
          },
        ) => {
          const { lease, operation, name, status, source, key, ttl } = options;
          const step = await invoke(context, 'task.step', {
            task,
            text,
            lease_id: lease,
            operation_id: operation,
            name,
            status,
            provenance: source,
            key,
            ttl_seconds: ttl,
          });
          await context.printer.value(step);
          await context.printer.line(`step ${step.step}  ${visibleLine(step.run_path)}`);
        },
      ),
    );
  withExamples(command, ['sheaf step TASK "Read 12 messages." --lease LEASE --operation OPERATION']);
};

const addFinish = (program: Command, bind: Bind): void => {
  const command = program
    .command('finish')
    .summary('end the work on a claimed task')
    .description('Ends the run of a claimed task. `pending` has it tried again later, or given up after its last try.')
    .argument('<TASK>', 'its path')
    .requiredOption('--status <S>', 'done, failed, pending, waiting_for_human or canceled')
    .requiredOption(...leaseOption)
    .requiredOption(...operationOption)
    .option('--text <TEXT>', 'what was done, what went wrong, or what a person is asked')
    .action(
      bind(async (context, task: string, options: TicketOptions & { readonly status: string; readonly text?: string }) => {
        const { lease, operation, status, text } = options;
        await printTask(context, await invoke(context, 'task.finish', { task, status, text, lease_id: lease, operation_id: operation }));
      }),
    );
  withExamples(command, ['sheaf finish TASK --status done --lease LEASE --operation OPERATION --text "Sent."']);
};

const addCancel = (program: Command, bind: Bind): void => {
  const command = program
    .command('cancel')
    .summary('end the work on a task for good')
    .description('Ends a task whoever is at it: its run is canceled, and a worker that still reports is refused.')
    .argument('<TASK>', 'its path')
    .option('--reason <TEXT>', 'why')
    .action(
      bind(async (context, task: string, options: { readonly reason?: string }) => {
        await printTask(context, await invoke(context, 'task.cancel', { task, reason: options.reason }));
      }),
    );
  withExamples(command, ['sheaf cancel TASK --reason "no longer needed"']);
};

const addDecision = (program: Command, bind: Bind, word: 'approve' | 'reject'): void => {
  const command = program
    .command(word)
    .summary(word === 'approve' ? 'let work go on that asks a person' : 'end work that asks a person')
    .description(
      word === 'approve'
        ? 'Answers yes to what a task asks (`sheaf tasks` shows it): its run goes on. A person decides, and never the one who asked.'
        : 'Answers no to what a task asks (`sheaf tasks` shows it): the task has failed, with your reason.',
    )
    .argument('<TASK>', 'its path')
    .requiredOption('--reason <TEXT>', 'why; the run keeps it')
    .action(
      bind(async (context, task: string, { reason }: { readonly reason: string }) => {
        await printTask(context, await invoke(context, 'task.decide', { task, approve: word === 'approve', reason }));
      }),
    );
  withExamples(command, [`sheaf ${word} TASK --reason "${word === 'approve' ? 'the figures are right' : 'wrong customer'}"`]);
};

const printTask = async (context: CommandContext, task: CallResult<'task.finish'>): Promise<void> => {
  await context.printer.value(task);
  const again = task.next_attempt_at === null ? '' : `, tried again ${relativeTime(task.next_attempt_at, new Date())}`;
  await context.printer.line(`${task.status}  ${visibleLine(task.task_path)}${again}`);
};
