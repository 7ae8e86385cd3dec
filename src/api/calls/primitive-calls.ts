import { z } from 'zod';
import type { Principal } from '#adapter-contracts';
import { createDocument, type FrontmatterMap, parseDocument } from '#document';
import { VaultError } from '#errors';
import { isRegistryError, portabilityClasses } from '#registry';
import { validateDocument } from '#validation';
import { defineCall, fieldIssueShape } from '../call.ts';
import { withPrimitive } from '../extension-text.ts';
import { authorizedCaller, callerPrincipal, mayRead, requirePerson } from '../read-rights.ts';
import { readVisible } from '../read-visible.ts';
import type { Vault } from '../vault.ts';
import { responseShape } from './envelope-submit.ts';
import { registryFilesOf } from './registry-calls.ts';

export const newPrimitive = defineCall({
  name: 'primitive.new',
  summary: 'Write a `primitive` document to start from, at primitives/<namespace>/<id>.md.',
  input: z.strictObject({
    primitive_id: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,63}:[a-z][a-z0-9_-]{0,127}$/, 'must be <namespace>:<id> in lowercase letters, digits, - and _'),
    name: z.string().min(1).optional(),
    portability: z.enum(portabilityClasses).default('tenant_private'),
    append: z.boolean().default(false),
    idempotency_key: z.string().min(1),
    /** Given by the caller, so that the document, and with it a retry under the same key, follows from the input alone. */
    timestamp: z.iso.datetime(),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({ path: z.string(), content: z.string(), response: responseShape }),
  handler: async (vault, caller, input) => {
    const [namespace = '', id = ''] = input.primitive_id.split(':');
    const path = `primitives/${namespace}/${id}.md`;
    const name = input.name ?? id;
    const data = {
      type: 'primitive',
      title: name,
      description: `What a ${name} is for`,
      timestamp: input.timestamp,
      primitive_id: input.primitive_id,
      namespace,
      version: 1,
      name,
      mutation: input.append ? 'append' : 'replace',
      portability: input.portability,
      scopes: ['workspace'],
      fields: [{ id: 'title', name: 'Title', kind: 'string', required: true }],
    };
    const content = createDocument(data, `\nDescribe the type here. \`sheaf primitive activate ${path}\` makes it usable.\n`);
    const envelope = {
      type: 'operation',
      workspace_id: vault.workspaceId,
      idempotency_key: input.idempotency_key,
      path,
      content,
      dry_run: input.dry_run,
    };
    const response = await vault.execute(envelope, {
      principal: caller.principal,
      ifMatch: null,
      ...(caller.confirmation === undefined ? {} : { confirmation: caller.confirmation }),
    });
    return { path, content, response };
  },
});

export const checkPrimitiveDocument = defineCall({
  name: 'primitive.check',
  summary: 'Say whether a `primitive` document could be activated, and what would change.',
  input: z.strictObject({ path: z.string().min(1) }),
  output: z.object({
    path: z.string(),
    valid: z.boolean(),
    problems: z.array(fieldIssueShape).readonly(),
    file: z.string().nullable(),
    changes: z.boolean(),
  }),
  handler: async (vault, caller, { path }) => {
    const principal = callerPrincipal(vault, caller);
    if (!mayRead(principal, vault.registry, 'ssss:primitive'))
      throw new VaultError('forbidden', { missing: ['ssss:primitive:read'] }, 'Checking primitives needs ssss:primitive:read.');
    try {
      const { data, namespace } = await readPrimitive(vault, principal, path);
      const { file, changed } = await registryFilesOf(vault).updateExtension(
        namespace,
        current => withPrimitive(current, data, namespace),
        { dryRun: true },
      );
      return { path, valid: true, problems: [], file, changes: changed };
    } catch (error) {
      const problems = problemsOf(error);
      if (problems === null) throw error;
      return { path, valid: false, problems, file: null, changes: false };
    }
  },
});

export const activatePrimitive = defineCall({
  name: 'primitive.activate',
  summary: 'Make a `primitive` document part of the registry: its extension file, workspace.json and the lock.',
  input: z.strictObject({ path: z.string().min(1) }),
  /** An open vault keeps the registry it started with: `digest` is what the next opening composes. */
  output: z.object({ path: z.string(), file: z.string(), changed: z.boolean(), digest: z.string() }),
  handler: async (vault, caller, { path }) => {
    const principal = authorizedCaller(vault, caller, 'admin:registry', 'activate primitives');
    requirePerson(principal, 'activate primitives');
    const { data, namespace } = await readPrimitive(vault, principal, path);
    const update = await registryFilesOf(vault).updateExtension(namespace, current => withPrimitive(current, data, namespace));
    return { path, ...update };
  },
});

/** The frontmatter of a valid `primitive` document that the principal may read. Throws what `readVisible` throws, or `validation_failed`. */
const readPrimitive = async (
  vault: Vault,
  principal: Principal,
  path: string,
): Promise<{ readonly data: FrontmatterMap; readonly namespace: string }> => {
  const stored = await readVisible(vault, principal, path);
  const parsed = parseDocument(stored.text);
  // A primitive refers to no other document, so no snapshot is needed.
  const verdict = validateDocument(parsed, vault.registry, () => null);
  const wrongType =
    verdict.type === 'ssss:primitive' ? [] : [{ field: 'type', issue: `'${path}' is no primitive document; its type must be primitive.` }];
  const issues = [...wrongType, ...verdict.errors];
  if (parsed.kind !== 'document' || issues.length > 0) {
    throw new VaultError(
      'validation_failed',
      { issues, type: verdict.type },
      issues.map(({ field, issue }) => `${field}: ${issue}`).join(' ') || `'${path}' is no document.`,
    );
  }
  const { data } = parsed.document;
  // Validation has made it a string.
  return { data, namespace: data.namespace as string };
};

/** What is wrong with the document or with the registry it would make; null for failures that say nothing about it. */
const problemsOf = (error: unknown) => {
  if (error instanceof VaultError && error.code === 'validation_failed') return error.details.issues ?? [];
  if (isRegistryError(error)) return 'issues' in error.details ? error.details.issues : [{ field: 'primitive_id', issue: error.message }];
  return null;
};
