import { isMap, type Value } from '#document';
import { compilePattern } from '#registry';
import type { ExecutorDocument } from './executor.ts';

/** The values of a task that fill the slots of a template, or why they do not. */
export type Filled = { readonly parts: readonly string[]; readonly problem: null } | { readonly parts: null; readonly problem: string };

/** What a task hands to a program or a service: `x_params` of the workflow, and over it those of the task. */
export const paramsOf = (task: ExecutorDocument, workflow: ExecutorDocument | null): Readonly<Record<string, Value>> =>
  Object.fromEntries(
    [workflow?.data, task.data].flatMap(data => Object.entries(data !== undefined && isMap(data.x_params) ? data.x_params : {})),
  );

/**
 * Fills `{name}` in each part of a template with one value. A value is a string, number or truth value on one line, never begins with `-` (it would be
 * read as an option), and fits the slot's pattern as a whole; without one it is words without a slash, so that it names no other place.
 */
export const fillSlots = (
  template: readonly string[],
  slots: Readonly<Record<string, { readonly pattern: string }>>,
  params: Readonly<Record<string, Value>>,
  encode: (value: string) => string = value => value,
): Filled => {
  const values = new Map<string, string>();
  for (const part of template) {
    for (const [, slot = ''] of part.matchAll(slotSyntax)) {
      const value = Object.hasOwn(params, slot) ? params[slot] : undefined;
      const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
      const problem = valueProblem(value, text, Object.hasOwn(slots, slot) ? (slots[slot]?.pattern ?? null) : null);
      if (problem !== null) return { parts: null, problem: `x_params.${slot}: ${problem}` };
      values.set(slot, encode(text ?? ''));
    }
  }
  return { parts: template.map(part => part.replaceAll(slotSyntax, (_, slot: string) => values.get(slot) ?? '')), problem: null };
};

const slotSyntax = /\{(\w{1,50})\}/g;
const maxValue = 4096;
const plainWords = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:@+,=-]*$/u;

const valueProblem = (value: Value | undefined, text: string | null, pattern: string | null): string | null => {
  if (value === undefined || value === null) return 'is not given';
  if (text === null) return 'must be one value, not a list or a map';
  if (text === '') return 'is empty';
  if (text.length > maxValue) return `is longer than ${maxValue} characters`;
  if (/\p{Cc}|\p{Cs}/u.test(text)) return 'holds control characters';
  if (text.startsWith('-')) return 'begins with -, which would be read as an option';
  if (pattern !== null) return compilePattern(`^(?:${pattern})$`)(text) ? null : `does not fit ${pattern}`;
  return plainWords.test(text) ? null : 'holds more than words: give the slot a pattern that allows it';
};
