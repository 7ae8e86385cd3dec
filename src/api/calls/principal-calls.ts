import { z } from 'zod';
import type { Principal } from '#adapter-contracts';
import { VaultError } from '#errors';
import { structuralReads } from '#policy';
import { defineCall } from '../call.ts';
import { authorizedCaller, lacking, requirePerson } from '../read-rights.ts';
import type { Vault } from '../vault.ts';

const summaryShape = z.object({
  id: z.string(),
  kind: z.enum(['human', 'agent', 'service']),
  capabilities: z.array(z.string()).readonly(),
  roles: z.array(z.string()).readonly().optional(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
const tokenShape = z.object({ id: z.string(), token: z.string() });
const idInput = { id: z.string().min(1) };
const expiresInput = { expires_at: z.string().nullable().optional() };

/** Policies and the built-in floors trust a person with more than an agent, so an agent that could act as a person would have slipped them. */
const requireSameKind = (principal: Principal, kind: string | undefined): void => {
  // A person's stored token may: it gives nobody more than it holds, and no token makes its holder a person who is there.
  if (kind === undefined || kind === principal.kind || principal.kind === 'human') return;
  requirePerson(principal, `give a token of the kind '${kind}'`);
};

/** What a new agent may do when nobody says: read types that hold structure, never what is private to the people (identity: what a person must do). */
const defaultCapabilities = (vault: Vault, kind: string): readonly string[] => {
  if (kind === 'agent') return structuralReads(vault.registry);
  const issue = `Say what '${kind}' may do; only agents have a default, which is to read structural types.`;
  throw new VaultError('invalid_request', { issues: [{ field: 'capabilities', issue }] }, `capabilities: ${issue}`);
};

export const addPrincipal = defineCall({
  name: 'principal.add',
  summary: 'Admit a person, agent or service to this vault; the token is shown once. An agent without capabilities reads structural types.',
  input: z.strictObject({
    ...idInput,
    kind: z.string(),
    capabilities: z.array(z.string()).optional(),
    /** Names of roles: what `roles/<name>/ROLE.md` grants is added, as far as a person wrote it. */
    roles: z.array(z.string()).optional(),
    ...expiresInput,
  }),
  output: tokenShape,
  handler: async (vault, caller, { expires_at, capabilities: asked, roles = [], ...input }) => {
    const principal = authorizedCaller(vault, caller, 'admin:principal', 'admit principals');
    const capabilities = asked ?? (roles.length > 0 ? [] : defaultCapabilities(vault, input.kind));
    // A role may grow later, beyond what its giver holds; that is for a person to foresee.
    if (roles.length > 0) requirePerson(principal, 'give roles');
    // Whoever could grant more than they hold would hold everything.
    const beyond = lacking(principal, [...capabilities, ...(await vault.principals.expandRoles(roles))]);
    if (beyond.length > 0) {
      throw new VaultError(
        'forbidden',
        { missing: beyond },
        `'${principal.id}' may not grant what it does not hold: ${beyond.join(', ')}.`,
      );
    }
    requireSameKind(principal, input.kind);
    return vault.principals.add({ ...input, capabilities, roles, ...(expires_at === undefined ? {} : { expires_at }) });
  },
});

export const listPrincipals = defineCall({
  name: 'principal.list',
  summary: 'The principals of this vault on this machine, without their tokens.',
  input: z.strictObject({}),
  output: z.object({ principals: z.array(summaryShape).readonly() }),
  handler: async (vault, caller) => {
    authorizedCaller(vault, caller, 'admin:principal', 'list principals');
    return { principals: await vault.principals.list() };
  },
});

export const revokePrincipal = defineCall({
  name: 'principal.revoke',
  summary: 'Void a principal at once.',
  input: z.strictObject(idInput),
  output: summaryShape,
  handler: (vault, caller, { id }) => {
    authorizedCaller(vault, caller, 'admin:principal', 'revoke principals');
    return vault.principals.revoke(id);
  },
});

export const renewToken = defineCall({
  name: 'principal.token',
  summary: 'Give a principal a new token; the old one is void at once.',
  input: z.strictObject({ ...idInput, ...expiresInput }),
  output: tokenShape,
  handler: async (vault, caller, { id, expires_at }) => {
    const principal = authorizedCaller(vault, caller, 'admin:principal', 'give tokens');
    const target = (await vault.principals.list()).find(known => known.id === id);
    requireSameKind(principal, target?.kind);
    const beyond = lacking(principal, [...(target?.capabilities ?? []), ...(await vault.principals.expandRoles(target?.roles ?? []))]);
    // A token for somebody stronger is a way to become them.
    if (beyond.length > 0)
      throw new VaultError('forbidden', { missing: beyond }, `'${principal.id}' may not hold the token of '${id}', who may do more.`);
    return vault.principals.rotate(id, expires_at === undefined ? {} : { expires_at });
  },
});
