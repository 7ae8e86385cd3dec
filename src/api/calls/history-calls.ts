import { z } from 'zod';
import { parseDocument } from '#document';
import { invalidMember, reasonOf, VaultError, withoutHostPaths } from '#errors';
import { documentVersion, type GitHistoryControl } from '#projections';
import { defineCall } from '../call.ts';
import { typeOf } from '../document-entry.ts';
import { readablePast } from '../history/readable-past.ts';
import type { PastVersion } from '../history/vault-history.ts';
import { authorizedCaller, requirePerson } from '../read-rights.ts';
import { withoutHiddenText } from '../without-hidden-text.ts';
import { responseShape } from './envelope-submit.ts';
import { eventShape } from './event-calls.ts';

const versionShape = z.object({
  event_id: z.string().nullable(),
  timestamp: z.string().nullable(),
  hash: z.string().nullable(),
  type: z.string().nullable(),
  content: z.string().nullable(),
  /** Why there is no content although there was a document. */
  missing: z.string().optional(),
});

const eventIdShape = z.string().min(1);
const readLog = 'read the history';

export const showChange = defineCall({
  name: 'history.show',
  summary: 'What one event did: its record, the document before and after it, and the difference.',
  input: z.strictObject({ event_id: eventIdShape }),
  output: z.object({
    event: eventShape,
    changes_document: z.boolean(),
    before: versionShape,
    after: versionShape,
    diff: z.string().nullable(),
  }),
  handler: async (vault, caller, { event_id: id }) => {
    const principal = authorizedCaller(vault, caller, 'read:event', readLog);
    const change = await vault.history.change(id);
    if (!change.changes_document) return change;
    return readablePast(
      vault,
      principal,
      change.event.subject,
      async () => change,
      ({ before, after }) => [before, after],
    );
  },
});

export const readPast = defineCall({
  name: 'history.read',
  summary: 'A document as it was right after an event, whatever that event was about.',
  input: z.strictObject({ path: z.string().min(1), at: eventIdShape }),
  output: z.object({
    path: z.string(),
    kind: z.enum(['document', 'ordinary', 'invalid']),
    type: z.string().nullable(),
    hash: z.string(),
    content: z.string(),
    /** The event that had left it like this. */
    event_id: z.string(),
    timestamp: z.string(),
  }),
  handler: async (vault, caller, { path, at }) => {
    const principal = authorizedCaller(vault, caller, 'read:event', readLog);
    const found = await readablePast(
      vault,
      principal,
      path,
      () => pastText(vault.history.at(path, at), path, at),
      version => [version],
    );
    const parsed = parseDocument(found.content);
    return {
      path,
      kind: parsed.kind,
      type: typeOf(path, parsed, vault.registry),
      hash: found.hash,
      content: found.content,
      event_id: found.event_id ?? '',
      timestamp: found.timestamp ?? '',
    };
  },
});

/** Throws `not_found` when nothing stood there, or its content is not kept. */
const pastText = async (
  asked: Promise<PastVersion>,
  path: string,
  at: string,
): Promise<PastVersion & { hash: string; content: string }> => {
  const version = await asked;
  const { hash, content, missing } = version;
  if (hash !== null && content !== null) return { ...version, hash, content };
  const why =
    missing === undefined ? `There was no document at '${path}' after the event '${at}'` : `'${path}' after the event '${at}': ${missing}`;
  throw new VaultError('not_found', { path }, `${why}.`);
};

export const diffDocument = defineCall({
  name: 'history.diff',
  summary:
    'What differs: the stored file from the log, before from after one event, or the document after one event from that after another.',
  input: z.strictObject({ path: z.string().min(1), from: eventIdShape.optional(), to: eventIdShape.optional() }),
  output: z.object({ path: z.string(), from: versionShape, to: versionShape, diff: z.string().nullable() }),
  handler: async (vault, caller, { path, from, to }) => {
    const principal = authorizedCaller(vault, caller, 'read:event', readLog);
    return readablePast(
      vault,
      principal,
      path,
      () => vault.history.diff(path, from, to),
      diff => [diff.from, diff.to],
    );
  },
});

const blamedShape = {
  first_line: z.number().int(),
  last_line: z.number().int(),
  origin: z.enum(['event', 'unrecorded', 'unknown']),
  event_id: z.string().nullable(),
};

export const blameDocument = defineCall({
  name: 'history.blame',
  summary: 'Which event set each frontmatter key and each line of the body, and who caused it.',
  input: z.strictObject({ path: z.string().min(1), at: eventIdShape.optional() }),
  output: z.object({
    path: z.string(),
    hash: z.string(),
    content: z.string(),
    type: z.string().nullable(),
    fields: z.array(z.object({ key: z.string(), ...blamedShape })).readonly(),
    body: z.array(z.object(blamedShape)).readonly(),
    events: z.array(z.object({ event_id: z.string(), timestamp: z.string(), principal_id: z.string(), action: z.string() })).readonly(),
    complete: z.boolean(),
    note: z.string().nullable(),
  }),
  handler: async (vault, caller, { path, at }) => {
    const principal = authorizedCaller(vault, caller, 'read:event', readLog);
    return readablePast(
      vault,
      principal,
      path,
      () => vault.history.blame(path, at),
      blame => [blame],
    );
  },
});

export const undoEvent = defineCall({
  name: 'history.undo',
  summary: 'Take back what one event did, as a new envelope through the Operation Contract.',
  input: z.strictObject({
    event_id: eventIdShape,
    /** Restore over whatever is stored now, although the document moved on. */
    force: z.boolean().optional(),
    dry_run: z.boolean().optional(),
    /** In place of the derived key. */
    idempotency_key: z.string().min(1).optional(),
    lease_id: z.string().min(1).optional(),
    operation_id: z.string().min(1).optional(),
    correlation_id: z.string().min(1).optional(),
  }),
  output: responseShape,
  handler: async (vault, caller, input) => {
    const principal = authorizedCaller(vault, caller, 'read:event', readLog);
    const event = await vault.event(input.event_id);
    const version = event === null ? null : documentVersion(event);
    const { confirmation } = caller;
    const options = {
      principal: caller.principal,
      ...(input.force === undefined ? {} : { force: input.force }),
      ...(input.dry_run === undefined ? {} : { dryRun: input.dry_run }),
      ...(input.idempotency_key === undefined ? {} : { key: input.idempotency_key }),
      ...(input.lease_id === undefined ? {} : { leaseId: input.lease_id }),
      ...(input.operation_id === undefined ? {} : { operationId: input.operation_id }),
      ...(input.correlation_id === undefined ? {} : { correlationId: input.correlation_id }),
      ...(confirmation === undefined ? {} : { confirmation }),
    };
    if (version !== null && event?.workspace_id === vault.workspaceId) {
      // What a refusal says of the document is for those who may read it.
      const known = { hash: version.after ?? version.before ?? '', type: version.primitiveId, content: null };
      await readablePast(
        vault,
        principal,
        version.path,
        async () => known,
        () => [known],
      );
    }
    const response = await vault.history.undo(input.event_id, options);
    return withoutHiddenText(vault.registry, caller.principal, { type: response.type }, response);
  },
});

const amountShape = z.object({ contents: z.number().int(), bytes: z.number().int() });

export const collectHistory = defineCall({
  name: 'history.collect',
  summary: 'Remove past contents beyond the limit that workspace.json states; without one nothing.',
  input: z.strictObject({ dry_run: z.boolean().optional() }),
  output: z.object({ kept: amountShape, removed: amountShape }),
  handler: async (vault, caller, { dry_run: dryRun }) => {
    authorizedCaller(vault, caller, 'admin:history', 'remove past contents');
    return vault.history.collect(dryRun === undefined ? {} : { dryRun });
  },
});

export const gitHistory = defineCall({
  name: 'history.git',
  summary: 'The documents as commits in the git repository around the vault: where that stands, switching it on or off, bringing it level.',
  input: z.strictObject({ action: z.enum(['status', 'on', 'off', 'sync']).default('status') }),
  output: z.object({
    enabled: z.boolean(),
    /** Why it cannot be written; null when it can. */
    reason: z.string().nullable(),
    ref: z.string(),
    /** Where the vault lies in the repository; empty = at its top. */
    vault_in_repository: z.string().nullable(),
    commit: z.string().nullable(),
    last_event_id: z.string().nullable(),
    behind: z.number().int().nullable(),
    /** Made by this call. */
    commits: z.number().int(),
  }),
  handler: async (vault, caller, { action }) => {
    const principal =
      action === 'status'
        ? authorizedCaller(vault, caller, 'read:event', readLog)
        : authorizedCaller(vault, caller, 'admin:history', 'change the history in git');
    const { git } = vault.history;
    if (git === null) throw invalidMember('action', 'a vault in memory, or one opened for reading only, has no history in git');
    // What is written there leaves the vault with the next push, whoever may read it.
    if (action === 'on') requirePerson(principal, 'switch the history in git on');
    if (action === 'on' || action === 'off') await git.enable(action === 'on');
    const { commits } = action === 'sync' ? await syncOrSay(git) : { commits: 0 };
    const { reason, ref, vaultInRepository, commit, lastEventId, behind } = await git.state();
    const told = { ref, vault_in_repository: vaultInRepository, commit, last_event_id: lastEventId, behind };
    return { enabled: git.enabled(), reason: reason === null ? null : withoutHostPaths(reason), ...told, commits };
  },
});

/** A repository that is not there, or is not to be written to, is the caller's to mend; what git itself fails at is not. */
const syncOrSay = async (git: GitHistoryControl) => {
  const { vaultInRepository, reason } = await git.state();
  if (vaultInRepository === null) throw invalidMember('action', withoutHostPaths(reason ?? 'there is no git repository'));
  try {
    return await git.sync();
  } catch (error) {
    throw new VaultError('internal_error', {}, `The history was not committed to git: ${withoutHostPaths(reasonOf(error))}`, {
      cause: error,
    });
  }
};
