import { writeCursor } from '../cursor.ts';
import type { ToolReply } from '../tool-reply.ts';

/** How much JSON one reply of rows may hold; a single row is made shorter than that. */
const rowsBudget = 40_000;

/** One page of a call's answer, as rows for a model. */
export interface Rows {
  readonly rows: readonly unknown[];
  readonly cursor: string | null;
  readonly noun: string;
  /** More lines of our own words. */
  readonly lines?: readonly string[];
}

/** A page of rows that fits the budget: when the rows turn out longer, the call is made again for as many as do, so that its own cursor is right. */
export const rowsThatFit = async (limit: number, load: (count: number) => Promise<Rows>): Promise<ToolReply> => {
  const page = await load(limit);
  const texts = page.rows.map(row => JSON.stringify(row));
  const fitting = countFitting(texts);
  return fitting === texts.length ? rowsReply(page, texts) : rowsThatFit(fitting, load);
};

const countFitting = (texts: readonly string[]): number => {
  let size = 0;
  const past = texts.findIndex(text => {
    size += text.length + 1;
    return size > rowsBudget;
  });
  return past === -1 ? texts.length : Math.max(past, 1);
};

const rowsReply = ({ cursor: next, noun, lines = [] }: Rows, texts: readonly string[]): ToolReply => ({
  lines: [`${noun}: ${texts.length}`, next === null ? 'more: no' : `more: yes\ncursor: ${writeCursor([next])}`, ...lines],
  stored: `[${texts.join(',\n')}]`,
});
