import { z } from 'zod';
import { reasonOf } from '#errors';
import { JsonSyntaxError, readJson } from '#registry';
import { vaultFiles } from './vault-files.ts';
import { WorkspaceError } from './workspace-error.ts';

/** The version of the standard that this build implements. */
export const specVersion = '0.9';

/** Extension ids become file names, so they are as narrow as namespaces (§5.4 `primitive`). */
const extensionId = /^[a-z][a-z0-9_-]{0,63}$/;

const shape = z.strictObject({
  workspace_id: z.string().min(1, 'must not be empty'),
  spec_version: z.string(),
  created_at: z.iso.datetime({ offset: true, error: 'must be an ISO 8601 instant, such as 2030-01-31T00:00:00Z' }),
  extensions: z
    .array(z.string().regex(extensionId, 'must be a lowercase extension id, such as acme'))
    .refine(ids => new Set(ids).size === ids.length, 'names an extension twice'),
  adopt: z.enum(['on-save', 'manual'], { error: 'must be "on-save" or "manual"' }).optional(),
  /** What is kept of past contents; without it everything is, for ever. */
  history: z
    .strictObject({
      enabled: z.boolean().optional(),
      max_bytes: z.number().int().nonnegative().optional(),
      max_age_days: z.number().nonnegative().optional(),
    })
    .optional(),
  /** Whether long-running commands also commit the documents to a branch of their own in the git repository around the vault. */
  git_history: z.boolean().optional(),
});

/** `.ssss/workspace.json`: which workspace this vault is, and which extensions it loads in which order. */
export type WorkspaceFile = z.infer<typeof shape>;

/** Parses `workspace.json` strictly. Throws `WorkspaceError` naming the place: a key that is misspelt must not be passed over in silence. */
export const parseWorkspaceFile = (text: string): WorkspaceFile => {
  let json: unknown;
  try {
    // Strict: `JSON.parse` keeps the last of two equal keys, and the vault would be another workspace than its first line says.
    json = readJson(text).value;
  } catch (error) {
    const place = error instanceof JsonSyntaxError ? ` (line ${error.place.line}, column ${error.place.column})` : '';
    throw new WorkspaceError('workspace_file_invalid', vaultFiles.workspace, `not JSON: ${reasonOf(error)}${place}`, { cause: error });
  }
  const version = typeof json === 'object' && json !== null && 'spec_version' in json ? json.spec_version : undefined;
  // Before the shape: a newer version may well have other keys.
  if (typeof version === 'string' && version !== specVersion) {
    throw new WorkspaceError(
      'unsupported_version',
      vaultFiles.workspace,
      `spec_version is '${version}', this build reads '${specVersion}'`,
    );
  }
  const parsed = shape.safeParse(json);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.map(issue => `${issue.path.join('.') || 'the file'}: ${issue.message}`);
  throw new WorkspaceError('workspace_file_invalid', vaultFiles.workspace, places.join('; '));
};

export const printWorkspaceFile = (file: WorkspaceFile): string => `${JSON.stringify(file, null, 2)}\n`;
