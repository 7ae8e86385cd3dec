import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type LanguageModel, ModelError, type ModelMessage, type ModelRequest, type ModelTurn } from '#adapter-contracts';
import { reasonOf } from '#errors';
import { ModelSettingsError, type ScriptedModelSetting } from './language-model-settings.ts';

const texts = z.union([z.string().transform(text => [text]), z.array(z.string())]);

const turnShape = z.strictObject({
  /** All that is named must hold; absent = always. */
  when: z
    .strictObject({
      /** Texts that appear in the instructions or anywhere in the conversation. */
      contains: texts.default([]),
      /** Texts that appear in the last message. */
      last_contains: texts.default([]),
      /** The last message is a result of this tool. */
      after_tool: z.string().optional(),
      /** How many turns the model took before. */
      turn: z.number().int().min(0).optional(),
    })
    .optional(),
  /** Names → regular expressions, applied to the instructions and the conversation; `{{name}}` below stands for the first group, or the match. */
  capture: z.record(z.string().regex(/^\w+$/), z.string()).default({}),
  text: z.string().default(''),
  calls: z.array(z.strictObject({ name: z.string(), arguments: z.unknown() })).default([]),
  finish: z.enum(['stop', 'tool_calls', 'length', 'other']).optional(),
  usage: z.strictObject({ input_tokens: z.number().int().min(0), output_tokens: z.number().int().min(0) }).optional(),
  /** In place of a turn: the model fails. */
  error: z
    .strictObject({ message: z.string(), temporary: z.boolean(), retry_after_ms: z.number().min(0).nullable().default(null) })
    .optional(),
});

const scriptShape = z.strictObject({ version: z.literal(1), turns: z.array(turnShape).min(1) });

type ScriptedTurn = z.output<typeof turnShape>;

/** Reads a script. Throws `ModelSettingsError` naming the first wrong place. */
export const parseScript = (json: string, file: string): readonly ScriptedTurn[] => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new ModelSettingsError(`${file} is not JSON`, { cause: error });
  }
  const parsed = scriptShape.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ModelSettingsError(`${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not readable'}`);
  }
  for (const [index, { capture }] of parsed.data.turns.entries()) {
    for (const [name, pattern] of Object.entries(capture)) {
      try {
        RegExp(pattern, 'u');
      } catch (error) {
        throw new ModelSettingsError(`${file}: turns.${index}.capture.${name}: ${reasonOf(error)}`);
      }
    }
  }
  return parsed.data.turns;
};

/**
 * Plays back a script: the first turn whose `when` holds for the request. For tests and demonstrations; it says that it is scripted, and whatever shows its
 * words says so, too. The file is read for each turn, so that a script can be changed while a server runs.
 */
export const createScriptedModel = (name: string, { script }: Pick<ScriptedModelSetting, 'script'>): LanguageModel => ({
  name,
  model: 'script',
  scripted: true,
  async generate(request) {
    if (request.signal?.aborted === true) throw new ModelError('the request was stopped', { temporary: true });
    const turns = readScript(script);
    const conversation = [request.system, ...request.messages.map(textOf)].join('\n');
    const turn = turns.find(candidate => holds(candidate, request, conversation));
    if (turn === undefined) throw new ModelError(`the script '${script}' has no turn for this request`, { temporary: false });
    if (turn.error !== undefined) {
      throw new ModelError(turn.error.message, { temporary: turn.error.temporary, retryAfterMs: turn.error.retry_after_ms });
    }
    return played(turn, request, captured(turn, conversation));
  },
});

const readScript = (script: string): readonly ScriptedTurn[] => {
  try {
    return parseScript(readFileSync(script, 'utf8'), script);
  } catch (error) {
    throw new ModelError(reasonOf(error), { temporary: false });
  }
};

const holds = ({ when }: ScriptedTurn, { messages }: ModelRequest, conversation: string): boolean => {
  if (when === undefined) return true;
  const last = messages.at(-1);
  const lastText = last === undefined ? '' : textOf(last);
  return (
    when.contains.every(text => conversation.includes(text)) &&
    when.last_contains.every(text => lastText.includes(text)) &&
    (when.after_tool === undefined || (last?.role === 'tool' && last.name === when.after_tool)) &&
    (when.turn === undefined || when.turn === messages.filter(({ role }) => role === 'assistant').length)
  );
};

const textOf = (message: ModelMessage): string =>
  message.role === 'assistant'
    ? `${message.text}${message.calls.map(call => JSON.stringify(call.arguments) ?? '').join('\n')}`
    : message.text;

type Captures = ReadonlyMap<string, string>;

const captured = ({ capture }: ScriptedTurn, conversation: string): Captures =>
  new Map(
    Object.entries(capture).map(([name, pattern]) => {
      const match = new RegExp(pattern, 'u').exec(conversation);
      return [name, match?.[1] ?? match?.[0] ?? ''];
    }),
  );

const played = (turn: ScriptedTurn, request: ModelRequest, captures: Captures): ModelTurn => {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => captures.get(name) ?? whole);
    if (Array.isArray(value)) return value.map(fill);
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member)]))
      : value;
  };
  const text = fill(turn.text) as string;
  const finish = turn.finish ?? (turn.calls.length > 0 ? 'tool_calls' : 'stop');
  const calls = turn.calls.map((call, index) => ({
    id: `call-${request.messages.length}-${index}`,
    name: call.name,
    arguments: fill(call.arguments),
  }));
  const { usage } = turn;
  return {
    text,
    calls: finish === 'length' ? [] : calls,
    finish,
    usage: { inputTokens: usage?.input_tokens ?? null, outputTokens: usage?.output_tokens ?? null },
  };
};
