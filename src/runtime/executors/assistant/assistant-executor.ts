import type { LanguageModel } from '#adapter-contracts';
import type { Registry } from '#registry';
import { statedText } from '../../rights/stated-text.ts';
import type { Approval } from '../approval/approval.ts';
import { approvalQuestion } from '../approval/approval.ts';
import { decidedAction, writeApproved } from '../approval/decided.ts';
import { type GuardedRun, guardRun } from '../approval/guarded-run.ts';
import type { Execution, ExecutionOutcome, Executor } from '../executor.ts';
import { createFence, oneLine } from '../fence.ts';
import type { ToolContext } from './assistant-tool.ts';
import { type Budget, budgetOf } from './budget.ts';
import { readingTools } from './reading-tools.ts';
import { type LoopEnd, runTurns } from './turn-loop.ts';
import { systemPrompt, workOrder } from './work-order.ts';
import { writingTools } from './writing-tools.ts';

/** What an assistant's `model` stands for on this machine. */
export type ResolveModel = (
  name: string | null,
) => Promise<{ readonly model: LanguageModel; readonly problem: null } | { readonly model: null; readonly problem: string }>;

interface AssistantExecutorOptions {
  readonly registry: Registry;
  readonly resolveModel: ResolveModel;
  readonly ceilings: () => Budget;
  readonly now: () => number;
}

/** How long a model that failed for now is left alone when it does not say itself. */
const coolDownMs = 30_000;

/**
 * Works on a task as the assistant that the task or its workflow names: a language model takes turns and acts through vault calls that the run's rights
 * allow. A model that is down keeps its tasks pending.
 */
export const createAssistantExecutor = ({ registry, resolveModel, ceilings, now }: AssistantExecutorOptions): Executor => {
  /** Models that failed for now, by name → when to ask again, and why. */
  const down = new Map<string, { readonly until: number; readonly reason: string }>();
  const find = async (assistant: Execution['assistant']): Promise<{ readonly model: LanguageModel } | { readonly problem: string }> => {
    if (assistant === null) return { problem: 'the assistant that the task names is not there' };
    const found = await resolveModel(statedText(assistant.data, 'model'));
    return found.model === null ? { problem: found.problem } : { model: found.model };
  };
  return {
    kind: 'assistant',
    async unready({ assistant }) {
      const found = await find(assistant);
      if ('problem' in found) return found.problem;
      const rest = down.get(found.model.name);
      if (rest === undefined || rest.until <= now()) return null;
      return `the model '${found.model.name}' does not answer (${rest.reason}); it is asked again at ${new Date(rest.until).toISOString()}`;
    },
    async run(execution) {
      if (execution.decision !== null) {
        const decided = decidedAction(execution.decision);
        return 'outcome' in decided ? decided.outcome : writeApproved(execution, decided.approval, execution.decision.by);
      }
      const found = await find(execution.assistant);
      if ('problem' in found) return { kind: 'failed', reason: found.problem, retry: true };
      const run = guardRun(execution, registry);
      taintByOrder(execution, run);
      const end = await work(execution, run, found.model, ceilings());
      if (end.kind === 'model_failed' && end.error.temporary) {
        down.set(found.model.name, { until: now() + (end.error.retryAfterMs ?? coolDownMs), reason: oneLine(end.error.message) });
      } else if (end.kind !== 'model_failed') down.delete(found.model.name);
      return outcomeOf(end, { execution, run, scripted: found.model.scripted });
    },
  };
};

const work = (execution: Execution, run: GuardedRun, model: LanguageModel, ceilings: Budget): Promise<LoopEnd> => {
  const { task, workflow, assistant, skills, vault } = execution;
  const fence = createFence();
  const context: ToolContext = { run, fence, skills, read: new Map(), used: new Set() };
  const tools = [...readingTools, ...writingTools].filter(
    tool => tool.offered(vault.capabilities) && (tool.tool.name !== 'read_skill' || skills.length > 0),
  );
  return runTurns({
    model,
    system: systemPrompt(execution, fence),
    order: workOrder(execution, fence),
    tools,
    context,
    budget: budgetOf([task.data, workflow?.data, assistant?.data], ceilings),
    execution,
  });
};

/** Whatever stands in the prompt from the start has been read. */
const taintByOrder = ({ task, workflow, assistant, skills }: Execution, run: GuardedRun): void => {
  for (const document of [task, workflow, assistant, ...skills]) {
    if (document !== null && document.outside !== null) run.taint(`${document.path}: ${document.outside}`);
  }
};

interface Ended {
  readonly execution: Execution;
  readonly run: GuardedRun;
  readonly scripted: boolean;
}

const outcomeOf = (end: LoopEnd, { execution, run, scripted }: Ended): ExecutionOutcome => {
  if (end.kind === 'model_failed') {
    const { message, temporary, retryAfterMs } = end.error;
    return { kind: 'failed', reason: message, retry: temporary, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  if (end.kind === 'broken') return { kind: 'failed', reason: end.reason, retry: end.retry };
  // Words of a script are not a model's, wherever they are shown.
  const said = `${scripted ? '(from a script) ' : ''}${oneLine(end.summary, 1000)}`;
  if (!end.done) return { kind: 'failed', reason: said, retry: false };
  if (run.setAside.length === 0) return { kind: 'succeeded', summary: said };
  const approval: Approval = {
    version: 1,
    who: statedText(execution.assistant?.data, 'title') ?? execution.assistant?.path ?? 'an assistant',
    sources: [...run.sources],
    action: { kind: 'write', writes: [...run.setAside] },
  };
  return { kind: 'waiting_for_human', question: approvalQuestion(approval) };
};
