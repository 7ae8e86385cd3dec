import { z } from 'zod';
import { VaultError } from '#errors';
import { describeRegistry } from '#registry';
import { defineCall } from '../call.ts';
import { authorizedCaller, callerPrincipal, requirePerson } from '../read-rights.ts';
import type { RegistryFiles, Vault } from '../vault.ts';

/** The registry files, which a vault in memory does not have. */
export const registryFilesOf = (vault: Vault): RegistryFiles => {
  if (vault.registryFiles !== null) return vault.registryFiles;
  throw new VaultError('invalid_request', {}, 'This vault lives in memory and has no registry files.');
};

export const showRegistry = defineCall({
  name: 'registry.show',
  summary: 'The composed registry: every type with its rules, or one type.',
  input: z.strictObject({ type: z.string().optional() }),
  /** `describeRegistry` of the registry room; with `type`, only that document type. */
  output: z.looseObject({
    spec_version: z.string(),
    digest: z.string(),
    document_types: z.array(z.looseObject({ qualified: z.string() })).readonly(),
  }),
  handler: async (vault, caller, { type }) => {
    callerPrincipal(vault, caller);
    const description = describeRegistry(vault.registry);
    if (type === undefined) return { ...description };
    const definition = vault.registry.resolve(type);
    const issue = `Unknown type '${type}'; \`sheaf registry show\` lists the types of this vault.`;
    if (definition === null) throw new VaultError('invalid_request', { issues: [{ field: 'type', issue }] }, `type: ${issue}`);
    return { ...description, document_types: description.document_types.filter(({ qualified }) => qualified === definition.qualified) };
  },
});

export const lockRegistry = defineCall({
  name: 'registry.lock',
  summary: 'Pin the composed registry; the vault then refuses to start on any other.',
  input: z.strictObject({}),
  output: z.object({ digest: z.string(), file: z.string() }),
  handler: (vault, caller) => {
    requirePerson(authorizedCaller(vault, caller, 'admin:registry', 'lock the registry'), 'lock the registry');
    return registryFilesOf(vault).lock();
  },
});

export const verifyRegistry = defineCall({
  name: 'registry.verify',
  summary: 'Recompose the registry files as they are now and compare them with the lock.',
  input: z.strictObject({}),
  /** `current`: whether the open vault still works with what the files say. */
  output: z.object({ digest: z.string(), locked: z.boolean(), current: z.boolean() }),
  handler: async (vault, caller) => {
    callerPrincipal(vault, caller);
    const found = await registryFilesOf(vault).verify();
    return { ...found, current: found.digest === vault.registry.digest };
  },
});
