import { isMap, type Json, type JsonMap } from './json.ts';
import type { AskStep } from './scenario.ts';

/** One `ask` step as a scenario writes it. */
export const parseAsk = (raw: JsonMap, principal: Json): AskStep => {
  const { ask: call, input, expect, as } = raw;
  if (typeof call !== 'string' || expect === undefined) throw new Error('"ask" names a call and needs "expect"');
  return {
    kind: 'ask',
    call,
    input: isMap(input) ? input : {},
    principal,
    expect: typeof expect === 'string' ? expect : (expect as JsonMap),
    ...(typeof as === 'string' ? { as } : {}),
  };
};
