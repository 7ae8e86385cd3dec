import { z } from 'zod';
import { VaultError } from '#errors';
import { defineCall } from '../call.ts';
import { authorizedCaller, requirePerson } from '../read-rights.ts';
import { requireHere } from './model-calls.ts';

const nameInput = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'A name of letters, digits, and . _ -, beginning with a letter or digit.');
const kindInput = z.enum(['command', 'service']);

const rowShape = z.object({
  kind: kindInput,
  name: z.string(),
  /** The argument template, or method and address. */
  what: z.string(),
  /** The values that a task gives. */
  slots: z.array(z.string()).readonly(),
});

const budgetShape = z.object({ steps: z.number().int(), tokens: z.number().int(), seconds: z.number() });

const slotsIn = (text: string): readonly string[] => [...new Set([...text.matchAll(/\{(\w{1,50})\}/g)].map(([, slot]) => slot ?? ''))];

export const listExecutors = defineCall({
  name: 'executor.list',
  summary: 'The programs and services that work of this vault may use on this machine, and what a run of an assistant may use up.',
  input: z.strictObject({}),
  output: z.object({ assistant: budgetShape, allowed: z.array(rowShape).readonly() }),
  handler: async (vault, caller) => {
    authorizedCaller(vault, caller, 'admin:executor', 'see what the work of this vault may use');
    const { assistant, commands, services } = vault.machine.executors.settings();
    const rows = [
      ...Object.entries(commands).map(([name, { argv }]) => ({
        kind: 'command' as const,
        name,
        what: argv.map(word => (/^[\w./:=@%+,{}-]+$/.test(word) ? word : JSON.stringify(word))).join(' '),
        slots: slotsIn(argv.join(' ')),
      })),
      ...Object.entries(services).map(([name, { method, origin, path }]) => ({
        kind: 'service' as const,
        name,
        what: `${method} ${origin}${path}`,
        slots: slotsIn(path),
      })),
    ];
    return { assistant, allowed: rows };
  },
});

export const setExecutor = defineCall({
  name: 'executor.set',
  summary:
    'Allow a program or a service to the work of this vault, or set what a run of an assistant may use up; a program only at this machine.',
  input: z.discriminatedUnion('kind', [
    z.strictObject({ kind: kindInput, name: nameInput, setting: z.record(z.string(), z.unknown()) }),
    z.strictObject({ kind: z.literal('assistant'), setting: z.record(z.string(), z.unknown()) }),
  ]),
  output: z.object({ kind: z.enum(['command', 'service', 'assistant']), name: z.string().nullable(), replaced: z.boolean() }),
  handler: async (vault, caller, input) => {
    const what = 'say which programs and services the work of this vault may use';
    const principal = authorizedCaller(vault, caller, 'admin:executor', what);
    requirePerson(principal, what);
    // Whoever names a program runs it.
    if (input.kind === 'command') requireHere(principal, 'allow a program');
    const { executors } = vault.machine;
    if (input.kind === 'assistant') {
      await executors.limit(input.setting);
      return { kind: input.kind, name: null, replaced: true };
    }
    return { kind: input.kind, name: input.name, replaced: await executors.allow(input.kind, input.name, input.setting) };
  },
});

export const removeExecutor = defineCall({
  name: 'executor.remove',
  summary: 'Take a program or a service from what the work of this vault may use.',
  input: z.strictObject({ kind: kindInput, name: nameInput }),
  output: z.object({ kind: kindInput, name: z.string(), removed: z.literal(true) }),
  handler: async (vault, caller, { kind, name }) => {
    const what = 'take away what the work of this vault may use';
    requirePerson(authorizedCaller(vault, caller, 'admin:executor', what), what);
    if (!(await vault.machine.executors.forbid(kind, name)))
      throw new VaultError('not_found', { path: name }, `This machine allows no ${kind} '${name}'.`);
    return { kind, name, removed: true } as const;
  },
});

const secretName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,119}$/, 'A name of letters, digits, and . _ : @ -, beginning with a letter or digit.');
const summaryShape = z.object({ name: z.string(), origin: z.string(), created_at: z.string() });

export const listSecrets = defineCall({
  name: 'secret.list',
  summary:
    'The names of the keys that this machine keeps for models and services, each with the one origin that it is sent to; never their values.',
  input: z.strictObject({}),
  output: z.object({ secrets: z.array(summaryShape).readonly() }),
  handler: async (vault, caller) => {
    authorizedCaller(vault, caller, 'admin:secret', 'list the keys of models and services');
    return { secrets: vault.machine.secrets.list() };
  },
});

export const setSecret = defineCall({
  name: 'secret.set',
  summary: 'Keep a key on this machine, for one origin. It is never shown again.',
  input: z.strictObject({
    name: secretName,
    origin: z
      .string()
      .refine(value => URL.canParse(value) && new URL(value).origin === value, 'Must be an origin, such as https://api.example.'),
    value: z
      .string()
      .min(1)
      .max(4000)
      .regex(/^[\x20-\x7e]+$/, 'Must be one line of plain characters, as a header can carry it.'),
  }),
  output: z.object({ name: z.string(), origin: z.string(), replaced: z.boolean() }),
  handler: async (vault, caller, { name, origin, value }) => {
    requirePerson(authorizedCaller(vault, caller, 'admin:secret', 'enter keys'), 'enter keys');
    return { name, origin, replaced: await vault.machine.secrets.set(name, { origin, value }) };
  },
});

export const removeSecret = defineCall({
  name: 'secret.remove',
  summary: 'Forget a key.',
  input: z.strictObject({ name: secretName }),
  output: z.object({ name: z.string(), removed: z.literal(true) }),
  handler: async (vault, caller, { name }) => {
    requirePerson(authorizedCaller(vault, caller, 'admin:secret', 'remove keys'), 'remove keys');
    if (!(await vault.machine.secrets.remove(name)))
      throw new VaultError('not_found', { path: name }, `No key '${name}' is kept on this machine.`);
    return { name, removed: true } as const;
  },
});
