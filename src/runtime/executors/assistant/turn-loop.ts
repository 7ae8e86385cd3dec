import { type LanguageModel, ModelError, type ModelMessage, type ModelToolCall, type ModelTurn } from '#adapter-contracts';
import type { Execution } from '../executor.ts';
import { codeBlock, oneLine } from '../fence.ts';
import { type AssistantTool, failure, type ToolContext, type ToolResult } from './assistant-tool.ts';
import { type Budget, estimateTokens } from './budget.ts';

/** How the turns of an assistant ended. */
export type LoopEnd =
  | { readonly kind: 'finished'; readonly done: boolean; readonly summary: string }
  /** `retry`: another try may help. */
  | { readonly kind: 'broken'; readonly reason: string; readonly retry: boolean; readonly retryAfterMs?: number }
  /** The model failed; the error says whether it may be asked again. */
  | { readonly kind: 'model_failed'; readonly error: ModelError };

interface LoopInput {
  readonly model: LanguageModel;
  readonly system: string;
  readonly order: string;
  readonly tools: readonly AssistantTool[];
  readonly context: ToolContext;
  readonly budget: Budget;
  readonly execution: Pick<Execution, 'signal' | 'step' | 'assistant' | 'workflow'>;
}

const maxOutputTokens = 8192;
/** Fewer are not worth a turn. */
const leastOutputTokens = 64;
const maxCallsPerTurn = 8;
const maxArguments = 256 * 1024;
/** How often a model that stops without `finish` is reminded. */
const maxReminders = 2;

/**
 * Lets a model take turns until it finishes or a budget is used up. Each turn and each call of a tool is one step of the run record, with the documents
 * that shaped it (§11.4). Text of the model is recorded and never executed.
 */
export const runTurns = async (input: LoopInput): Promise<LoopEnd> => {
  const { model, system, tools, context, budget, execution } = input;
  const timeUp = AbortSignal.timeout(budget.seconds * 1000);
  const signal = AbortSignal.any([execution.signal, timeUp]);
  const byName = new Map(tools.map(tool => [tool.tool.name, tool]));
  const messages: ModelMessage[] = [{ role: 'user', text: input.order }];
  let tokens = 0;
  let reminders = 0;

  for (let turnNumber = 1; turnNumber <= budget.steps; turnNumber += 1) {
    const stopped = stoppedBy(execution.signal, timeUp, budget);
    if (stopped !== null) return stopped;
    const room = budget.tokens - tokens - estimatedInput(system, messages, tools);
    if (room < leastOutputTokens) return broken(`the run would use more than its ${budget.tokens} tokens`, false);
    let turn: ModelTurn;
    try {
      const request = { system, messages, tools: tools.map(({ tool }) => tool), maxOutputTokens: Math.min(maxOutputTokens, room), signal };
      turn = await withinTime(model.generate(request), signal);
    } catch (error) {
      const interrupted = stoppedBy(execution.signal, timeUp, budget);
      if (interrupted !== null) return interrupted;
      const known =
        error instanceof ModelError
          ? error
          : new ModelError('the model failed in a way that its adapter does not know', { temporary: true });
      return { kind: 'model_failed', error: known };
    }
    tokens += used(turn, system, messages, tools);
    await recordTurn(input, turnNumber, turn);
    if (turn.finish === 'length') return broken('the answer of the model was cut at its limit; it is not mended', true);

    const calls = turn.calls.slice(0, maxCallsPerTurn);
    messages.push({ role: 'assistant', text: turn.text, calls: calls.map(withoutHuge) });
    if (turn.calls.length === 0) {
      if (reminders === maxReminders) return broken('the model stopped without saying whether the work is done', true);
      reminders += 1;
      messages.push({ role: 'user', text: 'You made no call. Go on, or end with the tool `finish`.' });
      continue;
    }
    for (const call of calls) {
      if (signal.aborted) break;
      const result = await callTool(byName, context, call);
      // The worker records how the run ended.
      if (result.ends !== undefined) return { kind: 'finished', ...result.ends };
      await recordCall(input, call, result);
      messages.push({ role: 'tool', callId: call.id, name: call.name, text: result.text, failed: result.failed });
    }
    const left = turn.calls.length - calls.length;
    if (left > 0) {
      // One step for all of them: each step is a write.
      const text = `${left} more calls were not made: at most ${maxCallsPerTurn} a turn.`;
      await execution.step({ name: 'too many calls', status: 'failed', text, provenance: provenanceOf(execution, context) });
      messages.push({ role: 'user', text });
    }
  }
  return stoppedBy(execution.signal, timeUp, budget) ?? broken(`the work was not finished within its ${budget.steps} turns`, false);
};

const broken = (reason: string, retry: boolean): LoopEnd => ({ kind: 'broken', reason, retry });

const stoppedBy = (stop: AbortSignal, timeUp: AbortSignal, budget: Budget): LoopEnd | null => {
  if (stop.aborted) return broken('the run was stopped', true);
  return timeUp.aborted ? broken(`the run took longer than its ${budget.seconds} s`, false) : null;
};

/** An adapter that does not heed the signal must not hold up the run. */
const withinTime = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  let end: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(new ModelError('the request was stopped', { temporary: true }));
    signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
    work.catch(() => undefined);
  }
};

const callTool = async (tools: ReadonlyMap<string, AssistantTool>, context: ToolContext, call: ModelToolCall): Promise<ToolResult> => {
  const tool = tools.get(call.name);
  if (tool === undefined) return failure(`There is no tool '${oneLine(call.name)}'; there are: ${[...tools.keys()].join(', ')}.`);
  if (isHuge(call)) return failure('The arguments are too large.');
  return tool.call(context, call.arguments);
};

const isHuge = (call: ModelToolCall): boolean => (JSON.stringify(call.arguments) ?? '').length > maxArguments;

/** What was refused for its size must not come back with every later turn. */
const withoutHuge = (call: ModelToolCall): ModelToolCall => (isHuge(call) ? { ...call, arguments: { left_out: 'too large' } } : call);

const recordTurn = async ({ model, execution, context }: LoopInput, turnNumber: number, turn: ModelTurn): Promise<void> => {
  const { inputTokens, outputTokens } = turn.usage;
  const counted = inputTokens === null && outputTokens === null ? '' : `, ${inputTokens ?? '?'} tokens in and ${outputTokens ?? '?'} out`;
  const who = model.scripted ? `the scripted model '${model.name}'` : `the model '${model.name}' (${oneLine(model.model)})`;
  const calls = turn.calls.map(call => `- ${oneLine(call.name, 60)} ${oneLine(JSON.stringify(call.arguments) ?? '', 300)}`);
  await execution.step({
    name: `turn ${turnNumber}`,
    status: turn.finish === 'length' ? 'failed' : 'note',
    text: [
      `Turn of ${who}${counted}.`,
      ...(turn.text.trim() === '' ? [] : [codeBlock(turn.text)]),
      ...(calls.length === 0 ? [] : [codeBlock(calls.join('\n'))]),
    ].join('\n\n'),
    provenance: provenanceOf(execution, context),
  });
};

const recordCall = async ({ execution, context }: LoopInput, call: ModelToolCall, result: ToolResult): Promise<void> => {
  await execution.step({
    name: oneLine(call.name, 60),
    status: result.failed ? 'failed' : 'ok',
    text: oneLine(result.note, 1000),
    provenance: [...new Set([...provenanceOf(execution, context), ...result.paths.slice(0, 50)])],
  });
};

/** The documents that shape every step: who works, by which workflow, with which skills. */
const provenanceOf = ({ assistant, workflow }: LoopInput['execution'], { used: skills }: ToolContext): readonly string[] => [
  ...[assistant, workflow].flatMap(document => (document === null ? [] : [document.path])),
  ...skills,
];

const textsOf = (message: ModelMessage): string =>
  message.role === 'assistant' ? message.text + message.calls.map(call => JSON.stringify(call.arguments) ?? '').join('') : message.text;

const estimatedInput = (system: string, messages: readonly ModelMessage[], tools: readonly AssistantTool[]): number =>
  estimateTokens(system + messages.map(textsOf).join('') + JSON.stringify(tools.map(({ tool }) => tool)));

/** What the provider counted; where it says nothing, or less than nothing, what we reckon. */
const used = (turn: ModelTurn, system: string, messages: readonly ModelMessage[], tools: readonly AssistantTool[]): number =>
  (turn.usage.inputTokens ?? estimatedInput(system, messages, tools)) +
  (turn.usage.outputTokens ?? estimateTokens(turn.text + (JSON.stringify(turn.calls) ?? '')));
