import { type CallName, calls, runCall, type Vault } from '#api';
import { isVaultError } from '#errors';
import type { Json, JsonMap } from './json.ts';
import { differences } from './match-json.ts';
import { resolveValues } from './resolve-values.ts';
import type { AskStep } from './scenario.ts';
import type { ScenarioState } from './scenario-state.ts';

/** Makes one call of the product as the step's principal, and compares what it gives, or the code with which it is refused. */
export const askProblems = async (step: AskStep, state: ScenarioState): Promise<readonly string[]> => {
  const input = (await resolveValues(step.input, state.values)) as JsonMap;
  const answer = await ask(await state.vault.library(), step, input);
  state.outcomes.push('refused' in answer ? answer.refused : 'answered');
  if (typeof step.expect === 'string') return differences(step.expect, 'refused' in answer ? answer.refused : 'answered', step.call);
  if ('refused' in answer) return [`${step.call} was refused: ${answer.refused} (${answer.message})`];
  if (step.as !== undefined) state.name(step.as, answer.output);
  const expected = await resolveValues(step.expect, state.values);
  return differences(expected, answer.output, step.call);
};

type Answer = { readonly output: Json } | { readonly refused: string; readonly message: string };

const ask = async (vault: Vault, { call, principal }: AskStep, input: JsonMap): Promise<Answer> => {
  if (!Object.hasOwn(calls, call)) throw new Error(`there is no call '${call}'`);
  try {
    // The caller is whatever the scenario says, also when it is no principal at all.
    const output: unknown = await runCall(calls[call as CallName] as never, vault, { principal }, input);
    // Compared as JSON, as every client sees it.
    return { output: JSON.parse(JSON.stringify(output)) as Json };
  } catch (error) {
    if (isVaultError(error)) return { refused: error.code, message: error.message };
    throw error;
  }
};
