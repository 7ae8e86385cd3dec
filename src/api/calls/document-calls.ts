import { z } from 'zod';
import { isVaultError, VaultError } from '#errors';
import { defineCall, limitShape } from '../call.ts';
import { callerPrincipal, mayRead, mayReadEverything } from '../read-rights.ts';
import { readVisible, refuseUnsafePath } from '../read-visible.ts';
import type { DocumentEntry, Vault } from '../vault.ts';

const kindShape = z.enum(['document', 'ordinary', 'invalid']);
const entryShape = z.object({
  path: z.string(),
  kind: z.enum(['document', 'ordinary', 'invalid', 'conflict_marker', 'conflict_copy', 'stub', 'unreadable']),
  type: z.string().nullable(),
  title: z.string().nullable(),
  hash: z.string().nullable(),
  reason: z.string().optional(),
});

export const readDocument = defineCall({
  name: 'document.read',
  summary: 'Read one document: its exact text, hash and type.',
  input: z.strictObject({ path: z.string().min(1) }),
  output: z.object({ path: z.string(), kind: kindShape, type: z.string().nullable(), hash: z.string(), content: z.string() }),
  handler: async (vault, caller, { path }) => {
    const document = await readVisible(vault, callerPrincipal(vault, caller), path);
    return { path, kind: document.kind, type: document.type, hash: document.hash, content: document.text };
  },
});

const listInput = { prefix: z.string().optional(), type: z.string().optional() };

export const listDocuments = defineCall({
  name: 'document.list',
  summary: 'List Markdown files in path order, of one type or below one directory; only those the caller may read.',
  input: z.strictObject({ ...listInput, limit: limitShape, cursor: z.string().optional() }),
  output: z.object({ documents: z.array(entryShape), cursor: z.string().nullable() }),
  handler: async (vault, caller, { limit, cursor, ...filter }) => {
    const documents: DocumentEntry[] = [];
    for await (const entry of readable(vault, callerPrincipal(vault, caller), { ...filter, after: cursor })) {
      if (documents.length === limit) return { documents, cursor: documents.at(-1)?.path ?? null };
      documents.push(entry);
    }
    return { documents, cursor: null };
  },
});

export const documentTree = defineCall({
  name: 'document.tree',
  summary: 'The directories and Markdown files that the caller may read, parents before children.',
  input: z.strictObject(listInput),
  output: z.object({
    rows: z.array(
      z.object({
        depth: z.number().int(),
        name: z.string(),
        path: z.string(),
        directory: z.boolean(),
        type: z.string().nullable(),
        title: z.string().nullable(),
      }),
    ),
  }),
  handler: async (vault, caller, filter) => {
    const rows: { depth: number; name: string; path: string; directory: boolean; type: string | null; title: string | null }[] = [];
    const known = new Set<string>();
    for await (const { path, type, title } of readable(vault, callerPrincipal(vault, caller), filter)) {
      const segments = path.split('/');
      for (const [depth, name] of segments.entries()) {
        const below = segments.slice(0, depth + 1).join('/');
        const directory = depth < segments.length - 1;
        if (known.has(below)) continue;
        known.add(below);
        rows.push({ depth, name, path: below, directory, type: directory ? null : type, title: directory ? null : title });
      }
    }
    return { rows };
  },
});

async function* readable(
  vault: Vault,
  principal: ReturnType<typeof callerPrincipal>,
  filter: { readonly prefix?: string | undefined; readonly type?: string | undefined; readonly after?: string | undefined },
): AsyncIterable<DocumentEntry> {
  const options = {
    ...(filter.prefix === undefined ? {} : { prefix: filter.prefix }),
    ...(filter.type === undefined ? {} : { type: resolveType(vault, filter.type) }),
    ...(filter.after === undefined ? {} : { after: filter.after }),
  };
  const directory = filter.prefix?.replace(/\/+$/, '') ?? '';
  if (directory !== '') refuseUnsafePath('prefix', directory);
  try {
    for await (const entry of vault.list(options)) {
      if (mayRead(principal, vault.registry, entry.type)) yield entry;
    }
  } catch (error) {
    // A file or a link on the way to the directory: whoever may not see everything must not learn of it.
    if (!isVaultError(error) || mayReadEverything(principal, vault.registry)) throw error;
  }
}

const resolveType = (vault: Vault, name: string): string => {
  if (name === 'index' || name === 'ssss:index') return 'ssss:index';
  const qualified = vault.registry.resolve(name)?.qualified;
  if (qualified !== undefined) return qualified;
  const issue = `Unknown type '${name}'; \`sheaf registry show\` lists the types of this vault.`;
  throw new VaultError('invalid_request', { issues: [{ field: 'type', issue }] }, `type: ${issue}`);
};
