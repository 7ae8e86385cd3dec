import { accessSync, constants, statSync } from 'node:fs';
import { approvalQuestion } from '../approval/approval.ts';
import { decidedAction } from '../approval/decided.ts';
import type { Execution, ExecutionOutcome, Executor, ExecutorDocument } from '../executor.ts';
import type { CommandSetting, ExecutorSettings } from '../executor-settings.ts';
import { codeBlock, oneLine } from '../fence.ts';
import { outsideOf, settingName, untrusted } from '../outside-work.ts';
import { fillSlots, paramsOf } from '../slots.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';

interface CommandExecutorOptions {
  readonly settings: () => ExecutorSettings;
  readonly trusted: () => boolean;
}

/** `EX_TEMPFAIL`: a program says by it that another try may do. */
const temporaryFailure = 75;

/** Does a task by running one program of the machine's own list, with values of the task in the places that the list leaves open. */
export const createCommandExecutor = ({ settings, trusted }: CommandExecutorOptions): Executor => ({
  kind: 'command',
  async unready({ task, workflow }) {
    const found = findCommand(settings, task, workflow);
    return untrusted(trusted) ?? (typeof found === 'string' ? found : programProblem(found.setting.argv[0] ?? ''));
  },
  async run(execution) {
    const found = findCommand(settings, execution.task, execution.workflow);
    if (typeof found === 'string') return { kind: 'failed', reason: found, retry: true };
    if (!trusted()) return { kind: 'failed', reason: untrusted(trusted) ?? '', retry: true };
    const { name, setting } = found;
    const filled = fillSlots(setting.argv, setting.slots, paramsOf(execution.task, execution.workflow));
    if (filled.problem !== null) return { kind: 'failed', reason: filled.problem, retry: false };
    const asked = { kind: 'command', name, argv: [...filled.parts] } as const;
    const sources = outsideOf(execution);
    if (execution.decision !== null) {
      const decided = decidedAction(execution.decision);
      if ('outcome' in decided) return decided.outcome;
      // The list or the task may have changed since the person looked.
      if (JSON.stringify(decided.approval.action) !== JSON.stringify(asked)) {
        return { kind: 'failed', reason: 'what would run now is not what was approved', retry: false };
      }
    } else if (sources.length > 0) {
      return {
        kind: 'waiting_for_human',
        question: approvalQuestion({ version: 1, who: `The task ${execution.task.path}`, sources, action: asked }),
      };
    }
    return runCommand(execution, name, setting, filled.parts);
  },
});

const findCommand = (
  settings: () => ExecutorSettings,
  task: ExecutorDocument,
  workflow: ExecutorDocument | null,
): { readonly name: string; readonly setting: CommandSetting } | string => {
  const name = settingName('x_command', task, workflow);
  if (name === null) return 'neither the task nor its workflow names a program with x_command';
  const { commands } = settings();
  const setting = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return setting === undefined ? `this machine allows no program '${oneLine(name)}': \`sheaf executor set\`` : { name, setting };
};

const programProblem = (program: string): string | null => {
  try {
    accessSync(program, constants.X_OK);
    return statSync(program).isFile() ? null : `'${program}' is no program`;
  } catch {
    return `the program '${program}' is not there, or may not be run`;
  }
};

const runCommand = async (
  execution: Execution,
  name: string,
  setting: CommandSetting,
  argv: readonly string[],
): Promise<ExecutionOutcome> => {
  const end = await runProgram(argv, {
    timeoutMs: setting.timeout_seconds * 1000,
    maxOutputBytes: setting.max_output_bytes,
    signal: execution.signal,
  });
  if (end.output !== '') execution.taint(`the output of the program '${name}'`);
  const outcome = outcomeOf(name, setting, end);
  await execution.step({
    name: `command ${name}`,
    status: outcome.kind === 'succeeded' ? 'ok' : 'failed',
    text: [
      `Ran\n\n${codeBlock(argv.map(word => JSON.stringify(word)).join(' '))}`,
      outcome.kind === 'failed' ? oneLine(outcome.reason, 500) : 'It ended well.',
      ...(end.output === '' ? [] : [codeBlock(end.output, 16_000)]),
    ].join('\n\n'),
    provenance: [execution.task.path, ...(execution.workflow === null ? [] : [execution.workflow.path])],
  });
  return outcome;
};

const outcomeOf = (
  name: string,
  setting: CommandSetting,
  { kind, code, reason }: ProgramEnd,
): Extract<ExecutionOutcome, { kind: 'succeeded' | 'failed' }> => {
  const failed = (why: string, retry = false) => ({ kind: 'failed', reason: `the program '${name}' ${why}`, retry }) as const;
  if (kind === 'exited') {
    return code === 0
      ? { kind: 'succeeded', summary: `the program '${name}' ended well` }
      : failed(`ended with ${code}`, code === temporaryFailure);
  }
  if (kind === 'signalled') return failed(`was ended by ${reason}`);
  if (kind === 'timed_out') return failed(`took longer than ${setting.timeout_seconds} s and was ended`);
  if (kind === 'flooded') return failed(`wrote more than ${setting.max_output_bytes} bytes and was ended`);
  return kind === 'stopped' ? failed('was ended because the run was stopped', true) : failed(`could not be started: ${reason}`, true);
};
