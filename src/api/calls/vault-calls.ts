import { z } from 'zod';
import { defineCall, fieldIssueShape } from '../call.ts';
import { authorizedCaller, surveyingCaller } from '../read-rights.ts';

const filesShape = z.object({
  found: z.number().int(),
  documents: z.number().int(),
  ordinary: z.number().int(),
  reported: z
    .array(
      z.object({
        path: z.string(),
        kind: z.enum(['invalid', 'conflict_marker', 'conflict_copy', 'stub', 'temporary', 'not_markdown', 'unreadable']),
        reason: z.string(),
        line: z.number().int().optional(),
      }),
    )
    .readonly(),
});

const statusRowShape = z.object({
  kind: z.enum([
    'drift',
    'untracked',
    'conflict_marker',
    'conflict_copy',
    'stub',
    'unreadable',
    'trigger_error',
    'missed',
    'owner_conflict',
  ]),
  path: z.string(),
  reason: z.string(),
  change: z.enum(['create', 'replace', 'delete']).nullable(),
  recorded_hash: z.string().nullable(),
  stored_hash: z.string().nullable(),
  original: z.string().optional(),
});

const noticeShape = z.object({ kind: z.string(), message: z.string(), file: z.string().optional(), offset: z.number().int().optional() });
const pathsShape = z.array(z.string().min(1)).optional();

export const vaultStatus = defineCall({
  name: 'vault.status',
  summary: 'Where files and log disagree, and what else needs a person.',
  input: z.strictObject({}),
  output: z.object({
    workspace_id: z.string(),
    rows: z.array(statusRowShape).readonly(),
    files: filesShape,
    notices: z.array(noticeShape).readonly(),
  }),
  handler: (vault, caller) => {
    surveyingCaller(vault, caller, 'see the status of the vault');
    return vault.status();
  },
});

export const adoptChanges = defineCall({
  name: 'vault.adopt',
  summary: 'Record hand edits in the log: the given paths, or all of them.',
  input: z.strictObject({
    paths: pathsShape,
    /** Documents that decide about rights, named once more by the person who accepts them. */
    confirmed: z.array(z.string()).optional(),
    correlation_id: z.string().min(1).optional(),
  }),
  output: z.object({
    results: z
      .array(
        z.object({
          path: z.string(),
          outcome: z.enum(['adopted', 'unchanged', 'refused', 'needs_confirmation']),
          action: z.enum(['create', 'replace', 'delete']).nullable(),
          event_id: z.string().optional(),
          reason: z.string().optional(),
          problems: z.array(fieldIssueShape).readonly().optional(),
        }),
      )
      .readonly(),
  }),
  handler: async (vault, caller, input) => {
    const principal = authorizedCaller(vault, caller, 'admin:adopt', 'adopt hand edits');
    const options = {
      ...(input.confirmed === undefined ? {} : { confirmed: input.confirmed }),
      ...(input.correlation_id === undefined ? {} : { correlationId: input.correlation_id }),
    };
    return { results: await vault.adopt(input.paths ?? null, principal, options) };
  },
});

const checkRowShape = fieldIssueShape.extend({ path: z.string() });

export const checkDocuments = defineCall({
  name: 'vault.check',
  summary: 'Validate files, or everything: problems with their place, warnings, damage of the log, an account of all files.',
  input: z.strictObject({ paths: pathsShape }),
  output: z.object({
    valid: z.boolean(),
    problems: z.array(checkRowShape).readonly(),
    warnings: z.array(checkRowShape).readonly(),
    log_damage: z.array(z.object({ file: z.string(), offset: z.number(), length: z.number(), reason: z.string() })).readonly(),
    files: filesShape,
  }),
  handler: (vault, caller, { paths }) => {
    surveyingCaller(vault, caller, 'check the vault');
    return vault.check(paths);
  },
});

const reportShape = z.object({
  workspace_id: z.string(),
  path: z.string(),
  event_id: z.string(),
  outcome: z.enum(['committed', 'rolled_back', 'discarded', 'conflict', 'in_flight']),
  kept_at: z.string().optional(),
});

export const recoverCommits = defineCall({
  name: 'vault.recover',
  summary: 'Decide commits that a dead process left half done; tell all outcomes so far and what is in flight.',
  input: z.strictObject({}),
  output: z.object({
    outcomes: z.array(reportShape.extend({ recorded_at: z.string() })).readonly(),
    in_flight: z.array(reportShape).readonly(),
    unreadable: z.number().int(),
  }),
  handler: (vault, caller) => {
    authorizedCaller(vault, caller, 'admin:recover', 'recover commits');
    return vault.recover();
  },
});
