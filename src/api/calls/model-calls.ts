import { z } from 'zod';
import { ModelError, type Principal } from '#adapter-contracts';
import { VaultError } from '#errors';
import { isRemote } from '#policy';
import { defineCall } from '../call.ts';
import { authorizedCaller, requirePerson } from '../read-rights.ts';

const nameInput = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}$/, 'A name of letters, digits, and . _ : @ -, beginning with a letter or digit.');

const summaryShape = z.object({
  name: z.string(),
  provider: z.enum(['openai-compatible', 'anthropic', 'scripted']),
  model: z.string(),
  place: z.string(),
  key: z.string().nullable(),
  for: z.array(z.string()).readonly(),
  problem: z.string().nullable(),
});

/** Throws `forbidden` unless the person sits at this machine: what names files and programs of it is not decided from elsewhere. */
export const requireHere = (principal: Principal, what: string): void => {
  requirePerson(principal, what);
  if (isRemote(principal)) throw new VaultError('forbidden', {}, `Only at this machine's terminal can you ${what}.`);
};

export const listModels = defineCall({
  name: 'model.list',
  summary:
    'The language models that are set on this machine; with `discover` also endpoints that answer on it, which are offered and not used.',
  input: z.strictObject({ discover: z.boolean().default(false) }),
  output: z.object({
    models: z.array(summaryShape).readonly(),
    found: z.array(z.object({ usually: z.string(), base_url: z.string(), models: z.array(z.string()).readonly() })).readonly(),
  }),
  handler: async (vault, caller, { discover }) => {
    authorizedCaller(vault, caller, 'admin:model', 'see the language models');
    const { models } = vault.machine;
    return { models: models.list(), found: discover ? await models.discover() : [] };
  },
});

export const setModel = defineCall({
  name: 'model.set',
  summary:
    'Set a language model on this machine: an endpoint, or a script that is played back. Its key goes to the origin of `base_url` only.',
  input: z.strictObject({
    name: nameInput,
    provider: z.enum(['openai-compatible', 'anthropic']).optional(),
    base_url: z.string().optional(),
    /** What the provider calls it. */
    model: z.string().optional(),
    /** The environment variable that holds the key. */
    key_env: z.string().optional(),
    /** The key itself, kept among the secrets of this machine. */
    key: z.string().min(1).max(1000).optional(),
    /** In place of an endpoint: the absolute path of a script. */
    script: z.string().optional(),
    /** Names that documents use for it; `*` = every name that nothing else has. */
    for: z.array(z.string()).optional(),
    timeout_seconds: z.number().optional(),
  }),
  output: summaryShape.extend({ replaced: z.boolean() }),
  handler: async (vault, caller, { name, key, key_env, script, ...input }) => {
    const principal = authorizedCaller(vault, caller, 'admin:model', 'set language models');
    requirePerson(principal, 'set language models');
    const { models, secrets } = vault.machine;
    if (script !== undefined) requireHere(principal, 'set a script');
    if (key !== undefined && key_env !== undefined) throw invalid('key', 'Give the key or the variable that holds it, not both.');
    const origin = originIn(input.base_url);
    const source = key_env !== undefined ? { env: key_env } : key === undefined ? null : { secret: `model:${name}` };
    if (source !== null && origin === null) throw invalid('base_url', 'A key needs the address that it is for.');
    const setting =
      script === undefined
        ? { provider: 'openai-compatible', ...input, key: source === null ? null : { ...source, origin } }
        : { provider: 'scripted', script, ...input };
    const set = await models.set(name, setting);
    if ('problem' in set) throw invalid('setting', set.problem);
    // Only now: a key for a setting that was refused is not kept.
    if (key !== undefined && origin !== null) await secrets.set(`model:${name}`, { origin, value: key.trim() });
    const made = models.list().find(model => model.name === name);
    if (made === undefined) throw new VaultError('not_found', { path: name }, `The language model '${name}' was removed meanwhile.`);
    return { ...made, replaced: set.known };
  },
});

export const removeModel = defineCall({
  name: 'model.remove',
  summary: 'Take a language model from this machine, with the key that was entered for it.',
  input: z.strictObject({ name: nameInput }),
  output: z.object({ name: z.string(), removed: z.literal(true) }),
  handler: async (vault, caller, { name }) => {
    requirePerson(authorizedCaller(vault, caller, 'admin:model', 'remove language models'), 'remove language models');
    const { models, secrets } = vault.machine;
    const known = models.list().some(model => model.name === name);
    const set = known ? await models.set(name, null) : { known: false };
    if ('problem' in set) throw invalid('setting', set.problem);
    if (!set.known) throw new VaultError('not_found', { path: name }, `No language model '${name}' is set on this machine.`);
    await secrets.remove(`model:${name}`);
    return { name, removed: true } as const;
  },
});

const maxTestTokens = 64;

export const testModel = defineCall({
  name: 'model.test',
  summary: 'Ask a language model for one word, and tell what it says, or why it does not.',
  input: z.strictObject({ name: nameInput }),
  output: z.object({
    name: z.string(),
    model: z.string(),
    /** It plays back a script; its words are not a model's. */
    scripted: z.boolean(),
    ok: z.boolean(),
    said: z.string().nullable(),
    reason: z.string().nullable(),
    input_tokens: z.number().int().nullable(),
    output_tokens: z.number().int().nullable(),
    milliseconds: z.number().int(),
  }),
  handler: async (vault, caller, { name }) => {
    authorizedCaller(vault, caller, 'admin:model', 'test language models');
    const { model, problem } = vault.machine.models.open(name);
    if (model === null) throw new VaultError('not_found', { path: name }, `${problem}.`);
    const about = { name, model: model.model, scripted: model.scripted };
    const began = performance.now();
    const took = () => Math.round(performance.now() - began);
    try {
      const turn = await model.generate({
        system: 'You are asked whether you can be reached.',
        messages: [{ role: 'user', text: 'Reply with the one word: ready' }],
        tools: [],
        maxOutputTokens: maxTestTokens,
      });
      const { inputTokens: input_tokens, outputTokens: output_tokens } = turn.usage;
      return {
        ...about,
        ok: true,
        said: turn.text.slice(0, 200).toWellFormed(),
        reason: null,
        input_tokens,
        output_tokens,
        milliseconds: took(),
      };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return { ...about, ok: false, said: null, reason: error.message, input_tokens: null, output_tokens: null, milliseconds: took() };
    }
  },
});

const originIn = (address: string | undefined): string | null =>
  address !== undefined && URL.canParse(address) ? new URL(address).origin : null;

const invalid = (field: string, issue: string): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: [{ field, issue }] }, issue);
