import type { Random } from '#adapter-contracts/testing';
import { JsonSyntaxError as RegistrySyntaxError, readJson } from '#registry';
import { readJsonItems } from '../../../src/api/exec/json-items.ts';
import { JsonSyntaxError, parseStrictJson } from '../../../src/api/exec/strict-json.ts';
import { below, chance, several } from '../engine/choose.ts';
import { expand } from '../engine/grammar.ts';
import { readsInLinearTime } from '../engine/linear-time.ts';
import { type FuzzTarget, law, outcome } from '../engine/target.ts';
import { jsonGrammar, jsonTokens } from './json-grammar.ts';
import { survey } from './json-survey.ts';

export interface JsonReaders {
  readonly parseStrictJson: typeof parseStrictJson;
  readonly readJson: typeof readJson;
  readonly readJsonItems: typeof readJsonItems;
}

export const jsonReaders: JsonReaders = { parseStrictJson, readJson, readJsonItems };

const json = (value: unknown): string => JSON.stringify(value);

/** A strict reader reads what `JSON.parse` reads, but for names that stand twice and deep nesting, and refuses what it refuses. */
const checkAgainstEngine = (
  what: string,
  text: string,
  most: number,
  read: () => unknown,
  isRefusal: (error: unknown) => boolean,
): void => {
  const reference = outcome(() => JSON.parse(text) as unknown);
  const ours = outcome(read);
  if ('thrown' in ours) {
    law(isRefusal(ours.thrown), `${what} refuses with its own error and a place`, String(ours.thrown));
    if ('thrown' in reference) return;
    const { depth, twice } = survey(text);
    // A configuration file holds no lone surrogates; in an envelope the kernel names the member that has one.
    const surrogate = what === 'readJson' && /\\u[dD][89a-fA-F]/.test(text);
    law(depth > most || twice || surrogate, `${what} reads what JSON.parse reads`, String(ours.thrown));
    return;
  }
  law('value' in reference, `${what} refuses what JSON.parse refuses`, ours.value);
  law(json(ours.value) === json(reference.value), `${what} reads the same value`, { ours: ours.value, engine: reference.value });
  law(!survey(text).twice, `${what} refuses a name that stands twice`);
};

const isPlaced = (text: string, { place }: RegistrySyntaxError): boolean => {
  const lines = text.split('\n');
  return place.line >= 1 && place.line <= lines.length && place.column >= 1 && place.column <= (lines[place.line - 1]?.length ?? 0) + 1;
};

async function* chunksOf(input: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < input.length; start += size) yield input.subarray(start, start + size);
}

const itemsOf = async (readers: JsonReaders, input: Buffer, size: number): Promise<readonly object[]> => {
  const items: object[] = [];
  for await (const item of readers.readJsonItems(chunksOf(input, size))) items.push(item);
  return items;
};

const probe = '{"probe":[1,{"a":"}"}]}';

/** How bytes arrive never matters, and nothing that stands before a line hides it. */
const checkStream = async (readers: JsonReaders, input: Buffer): Promise<void> => {
  const whole = await itemsOf(readers, input, Math.max(1, input.length));
  for (const size of [1, 3, 7])
    law(json(await itemsOf(readers, input, size)) === json(whole), 'items do not depend on the chunks', { size, whole });
  for (const item of whole) {
    const placed = item as { readonly line: number; readonly column?: number; readonly problem?: string };
    law(
      placed.line >= 1 && ('value' in item || (placed.problem !== '' && (placed.column ?? 0) >= 1)),
      'an item has a value or a problem, and a place',
      item,
    );
  }
  const ink = input.find(byte => ![0x20, 0x09, 0x0a, 0x0d].includes(byte));
  // An array is one value: what follows in it belongs to it until it is closed.
  if (ink === 0x5b || (ink === 0xef && input.includes(0x5b))) return;
  const withProbe = await itemsOf(readers, Buffer.concat([input, Buffer.from(`\n${probe}\n`)]), 4096);
  law(json((withProbe.at(-1) as { value?: unknown })?.value) === probe, 'a line of JSON is read whatever stands before it', withProbe);
};

/** The JSON readers of the command line and of configuration files. */
export const createJsonTarget = (readers: JsonReaders = jsonReaders): FuzzTarget => ({
  name: 'json',
  generate: (random: Random) => {
    if (chance(random, 0.1))
      return expand(jsonGrammar, 'list', random, 4)
        .repeat(1 + below(random, 30))
        .replaceAll('][', '');
    return several(random, 3, () => expand(jsonGrammar, 'json', random)).join(chance(random, 0.7) ? '\n' : '');
  },
  tokens: jsonTokens,
  executions: 3000,
  guidedBy: /\/src\/(?:api\/exec|registry)\/(?:strict-json|json-|byte-lines|array-cutter)/,
  async check(input) {
    const text = input.toString('utf8');
    // Dear, and the inputs that matter are short.
    if (text.length <= 16 && text.length % 8 === 3) {
      readsInLinearTime(text, long => {
        outcome(() => readers.parseStrictJson(`[${long}`));
        outcome(() => readers.readJson(`[${long}`));
      });
    }
    const isStrict = (error: unknown): boolean => error instanceof JsonSyntaxError && error.offset >= 0 && error.offset <= text.length;
    checkAgainstEngine('exec', text, 80, () => readers.parseStrictJson(text), isStrict);
    const withoutMark = text.replace(/^\ufeff/, '');
    const isOfRegistry = (error: unknown): boolean => error instanceof RegistrySyntaxError && isPlaced(withoutMark, error);
    checkAgainstEngine('readJson', withoutMark, 64, () => readers.readJson(text).value, isOfRegistry);
    await checkStream(readers, input);
  },
});
