import { z } from 'zod';
import { VaultError } from '#errors';
import { type CallKey, keyOfCall } from '../idempotency-key.ts';
import type { ToolReply } from '../tool-reply.ts';
import { anyJson, callerId, defineTool, invoke, type ToolContext } from './tool.ts';
import { responseReply } from './write-reply.ts';

const path = z.string().min(1).describe('Path of the document from the root of the vault, with /, ending in .md.');
const baseHash = z.string().min(1).describe('The hash that read_document gave: the change is refused when the document has changed since.');

/** What every writing tool takes beside its own arguments. */
const common = {
  idempotency_key: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Names this request: sent again with the same key it is answered, never applied twice. Give one of your own to be able to retry.',
    ),
  dry_run: z.boolean().optional().describe('Check everything, change nothing.'),
  intent: z.string().optional().describe('Why, in a few words; for people.'),
  lease_id: z.string().min(1).optional().describe('From acquire_lease.'),
  operation_id: z.string().min(1).optional().describe('The unit of work this belongs to; with a lease the one it was acquired with.'),
  correlation_id: z.string().min(1).optional(),
  causation_id: z.string().min(1).optional().describe('The event that led to this.'),
};

type Common = { readonly [K in keyof typeof common]?: string | boolean | undefined };

/** Sends the envelope of a tool call, under the key that the call carries or is given. */
const submit = async (
  context: ToolContext,
  tool: string,
  input: Common & { readonly base_hash?: string | undefined },
  envelope: Readonly<Record<string, unknown>>,
  ifMatch: string | null | undefined = input.base_hash,
): Promise<ToolReply> => {
  const key: CallKey = keyOfCall(callerId(context), tool, input);
  const { dry_run, intent, lease_id, operation_id, correlation_id, causation_id } = input;
  const members = { dry_run, intent, lease_id, operation_id, ...envelope };
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const response = await invoke(context, 'envelope.submit', {
    envelope: { workspace_id: context.vault.workspaceId, idempotency_key: key.key, ...given },
    if_match: ifMatch,
    correlation_id,
    causation_id,
  });
  return responseReply(response, key);
};

const writing = { readOnlyHint: false, openWorldHint: false } as const;

export const submitEnvelopeTool = defineTool({
  name: 'submit_envelope',
  title: 'Submit an envelope',
  description:
    'Send one envelope of the Operation Contract as it is: {type: operation|patch|event|delete, workspace_id, idempotency_key, path, content?, patches?, …}. The other writing tools make such envelopes for you.',
  annotations: { ...writing, destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    envelope: anyJson('The envelope.', { type: 'object' }),
    if_match: z.string().nullable().optional().describe('The hash of the version it changes; null: the document must not exist yet.'),
    correlation_id: common.correlation_id,
    causation_id: common.causation_id,
  }),
  run: async (context, input) => responseReply(await invoke(context, 'envelope.submit', input), null),
});

export const writeDocumentTool = defineTool({
  name: 'write_document',
  title: 'Write a whole document',
  description:
    'Create a document, or replace an existing one as a whole; replacing needs base_hash from read_document. `content` is the complete Markdown text with its YAML frontmatter. To change single values use patch_document: it keeps every other byte.',
  annotations: { ...writing, destructiveHint: true },
  input: z.strictObject({
    path,
    content: z.string().describe('The complete text: frontmatter between --- lines, then the body.'),
    base_hash: baseHash.optional(),
    ...common,
  }),
  // Without a base the document must not exist yet (null), so that nobody overwrites what they have not read.
  run: (context, input) =>
    submit(context, 'write_document', input, { type: 'operation', path: input.path, content: input.content }, input.base_hash ?? null),
});

export const patchDocumentTool = defineTool({
  name: 'patch_document',
  title: 'Change values of a document',
  description:
    'Change single frontmatter values of a document (null is stored as null) and, with `body`, its body; every other byte stays. In threads, conversations and runs a body is appended.',
  annotations: { ...writing, destructiveHint: true },
  input: z.strictObject({
    path,
    set: anyJson('Frontmatter keys and their new values.', { type: 'object' }).optional(),
    body: z.string().optional().describe('The new body.'),
    base_hash: baseHash.optional(),
    ...common,
  }),
  run: async (context, input) => {
    const patches = input.body === undefined ? (input.set ?? {}) : withBody(input.set, input.body);
    return submit(context, 'patch_document', input, { type: 'patch', path: input.path, patches });
  },
});

/** Something that is no object stays as it is, for the kernel to refuse. */
const withBody = (set: unknown, body: string): unknown => {
  if (set === undefined) return { __body__: body };
  if (typeof set !== 'object' || set === null || Array.isArray(set)) return set;
  if (!Object.hasOwn(set, '__body__')) return { ...set, __body__: body };
  const issue = 'given twice: as `body` and as `__body__` in `set`';
  throw new VaultError('invalid_request', { issues: [{ field: 'body', issue }] }, `body: ${issue}.`);
};

export const appendRecordTool = defineTool({
  name: 'append_record',
  title: 'Append to a document',
  description:
    'Append text to the end of a thread, conversation or run, such as "### turn 3 — user — 2026-05-16T14:02:00Z" and what was said. Other documents are refused: they are replaced or patched.',
  annotations: { ...writing, destructiveHint: false },
  input: z.strictObject({ path, text: z.string().min(1), base_hash: baseHash.optional(), ...common }),
  run: async (context, input) =>
    submit(context, 'append_record', input, {
      type: 'patch',
      path: input.path,
      patches: { __body__: input.text },
      primitive_type: await appendableType(context, input.path),
    }),
});

/**
 * The type to assert for an append. A body patch of any other type would replace the body, so the kernel is made to compare: it refuses what is
 * not of this type, in its own order, and nothing is learnt here about documents that the caller may not see.
 */
const appendableType = async ({ vault }: ToolContext, target: string): Promise<string> => {
  const stored = await vault.read(target).catch(() => null);
  const definition = stored?.type == null ? null : vault.registry.resolve(stored.type);
  return definition?.append_only === true ? definition.qualified : 'ssss:thread';
};

export const deleteDocumentTool = defineTool({
  name: 'delete_document',
  title: 'Delete a document',
  description: 'Remove one document. Its events stay in the log. With base_hash only the version you read is removed.',
  annotations: { ...writing, destructiveHint: true },
  input: z.strictObject({ path, base_hash: baseHash.optional(), ...common }),
  run: (context, input) => submit(context, 'delete_document', input, { type: 'delete', path: input.path }),
});

export const recordEventTool = defineTool({
  name: 'record_event',
  title: 'Record an event',
  description: 'Record in the log that something happened, without changing a document.',
  annotations: { ...writing, destructiveHint: false },
  input: z.strictObject({
    subject: z.string().min(1).describe('What it is about: a path, which need not exist, such as orders/1042.'),
    payload: anyJson('What happened; `event_type` in it names the kind of event.', { type: 'object' }).optional(),
    ...common,
  }),
  run: (context, input) =>
    submit(context, 'record_event', input, {
      type: 'event',
      path: input.subject,
      content: input.payload === undefined ? undefined : JSON.stringify(input.payload),
    }),
});
