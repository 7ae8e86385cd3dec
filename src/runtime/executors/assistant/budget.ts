import type { FrontmatterMap, Value } from '#document';
import { isMap } from '#document';

/** What a run of an assistant may use up. */
export interface Budget {
  /** Turns of the model. */
  readonly steps: number;
  /** Tokens read and written, together. */
  readonly tokens: number;
  readonly seconds: number;
}

/** What a run gets when nobody asks for less; the host's ceilings unless its settings say otherwise. */
export const defaultCeilings: Budget = { steps: 24, tokens: 200_000, seconds: 900 };

/**
 * The budget of a run: `x_budget` (`steps`, `tokens`, `seconds`) of the task, the workflow and the assistant, the smallest of each, within the ceilings
 * of the host. What is no positive number counts as not given.
 */
export const budgetOf = (documents: readonly (FrontmatterMap | undefined)[], ceilings: Budget): Budget => {
  const smallest = (member: keyof Budget): number =>
    Math.min(ceilings[member], ...documents.map(data => positive(budgetIn(data), member) ?? ceilings[member]));
  return { steps: Math.max(1, Math.floor(smallest('steps'))), tokens: Math.floor(smallest('tokens')), seconds: smallest('seconds') };
};

const budgetIn = (data: FrontmatterMap | undefined): Value =>
  data !== undefined && Object.hasOwn(data, 'x_budget') ? (data.x_budget ?? null) : null;

const positive = (budget: Value, member: keyof Budget): number | null => {
  const value = isMap(budget) && Object.hasOwn(budget, member) ? budget[member] : null;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
};

/** Tokens of a text where nobody counts them: more than most tokenisers make of it, so that no budget is overrun by not being counted. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);
