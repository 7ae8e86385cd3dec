import { z } from 'zod';
import { VaultError } from '#errors';
import { defineCall } from '../call.ts';
import { authorizedCaller, requirePerson } from '../read-rights.ts';

const nameShape = z
  .string()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u,
    'A name of letters, digits, dots, dashes and underscores, as a trigger has it in x_secret.',
  );

export const listHooks = defineCall({
  name: 'hook.list',
  summary: 'The names under which this machine holds secrets of webhooks; never the secrets.',
  input: z.strictObject({}),
  output: z.object({ hooks: z.array(z.object({ name: z.string(), created_at: z.array(z.string()).readonly() })).readonly() }),
  handler: async (vault, caller) => {
    authorizedCaller(vault, caller, 'admin:hook', 'list the secrets of webhooks');
    return { hooks: vault.hooks.secrets.list() };
  },
});

export const createHookSecret = defineCall({
  name: 'hook.secret',
  summary: 'Make a secret for the senders of a webhook and tell it this once; the one before stays good until the next.',
  input: z.strictObject({ name: nameShape }),
  output: z.object({ name: z.string(), secret: z.string(), live: z.number().int() }),
  handler: async (vault, caller, { name }) => {
    requirePerson(authorizedCaller(vault, caller, 'admin:hook', 'make secrets of webhooks'), 'make secrets of webhooks');
    return vault.hooks.secrets.create(name);
  },
});

export const removeHook = defineCall({
  name: 'hook.remove',
  summary: 'End all secrets of a name: its webhooks are refused from now on.',
  input: z.strictObject({ name: nameShape }),
  output: z.object({ name: z.string(), removed: z.literal(true) }),
  handler: async (vault, caller, { name }) => {
    requirePerson(authorizedCaller(vault, caller, 'admin:hook', 'end secrets of webhooks'), 'end secrets of webhooks');
    if (!(await vault.hooks.secrets.remove(name)))
      throw new VaultError('not_found', { path: name }, `There are no secrets under the name '${name}'.`);
    return { name, removed: true } as const;
  },
});
