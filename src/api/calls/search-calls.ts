import { z } from 'zod';
import type { Principal } from '#adapter-contracts';
import { VaultError } from '#errors';
import { defineCall } from '../call.ts';
import { callerPrincipal, mayRead, mayReadEverything, requireCapabilities } from '../read-rights.ts';
import { readVisible } from '../read-visible.ts';
import { mostHits } from '../search/create-vault-search.ts';
import { searchReasons } from '../search/vault-search.ts';
import type { Vault } from '../vault.ts';

/** One value, several with commas between, or a list. */
const several = z
  .union([z.string(), z.array(z.string()).max(50)])
  .transform(value => (typeof value === 'string' ? value.split(',') : value));

const portabilityShape = z.enum(['structural', 'resource_bound', 'tenant_private']);
const countsShape = z.array(z.object({ value: z.string(), count: z.number().int() }));

const stateShape = z.discriminatedUnion('state', [
  z.object({ state: z.literal('off'), reason: z.string().optional() }),
  z.object({ state: z.literal('reindex_needed'), model: z.string(), reason: z.string() }),
  z.object({ state: z.literal('ready'), model: z.string(), dimension: z.number().int(), missing: z.number().int() }),
]);

const hitShape = z.object({
  path: z.string(),
  title: z.string(),
  type: z.string().nullable(),
  portability: portabilityShape,
  language: z.string().nullable(),
  status: z.string().nullable(),
  timestamp: z.string().nullable(),
  hash: z.string(),
  score: z.number(),
  evidence: z.object({ lexical: z.number(), semantic: z.number().nullable() }),
  snippet: z.object({ text: z.string(), ranges: z.array(z.object({ start: z.number().int(), end: z.number().int() })) }),
});

export const searchVault = defineCall({
  name: 'search.query',
  summary: 'Documents with the words of a question, and near to it in meaning where an embedding model is configured; best first.',
  input: z.strictObject({
    q: z.string(),
    type: several.optional(),
    tag: several.optional(),
    status: z.string().optional(),
    language: z.string().optional(),
    since: z.string().optional(),
    until: z.string().optional(),
    prefix: z.string().optional(),
    private: z.boolean().optional(),
    limit: z.number().int().min(1).max(mostHits).default(20),
    cursor: z.string().optional(),
    facets: z.boolean().optional(),
    feedback: z.boolean().optional(),
  }),
  output: z.object({
    query: z.string(),
    words: z.enum(['all', 'some']),
    total: z.number().int(),
    hits: z.array(hitShape),
    facets: z.object({ type: countsShape, tag: countsShape, status: countsShape, language: countsShape }).nullable(),
    cursor: z.string().nullable(),
    reasons: z.array(z.object({ code: z.enum(searchReasons), message: z.string() })),
    semantic: stateShape,
  }),
  handler: async (vault, caller, { q, type, tag, ...rest }) => {
    const principal = callerPrincipal(vault, caller);
    if (rest.private === true) requirePrivateSearch(principal);
    const filters = Object.fromEntries(Object.entries({ types: type, tags: tag, ...rest }).filter(([, value]) => value !== undefined));
    const reply = await vault.search(q, { ...filters, ...readerOf(vault, principal) });
    return {
      ...reply,
      hits: reply.hits.map(mutable),
      facets: reply.facets === null ? null : mutable(reply.facets),
      reasons: [...reply.reasons],
    };
  },
});

export const queryGraph = defineCall({
  name: 'graph.query',
  summary: 'The documents around one document, and the relations and links between them, both ways.',
  input: z.strictObject({
    path: z.string().min(1),
    depth: z.number().int().min(1).max(3).default(1),
    limit: z.number().int().min(1).max(1000).default(200),
    private: z.boolean().optional(),
  }),
  output: z.object({
    path: z.string(),
    nodes: z.array(
      z.object({
        path: z.string(),
        title: z.string(),
        type: z.string().nullable(),
        portability: portabilityShape,
        identity: z.string(),
        distance: z.number().int(),
      }),
    ),
    edges: z.array(
      z.object({
        from: z.string(),
        to: z.string().nullable(),
        kind: z.enum(['relation', 'wiki', 'markdown']),
        name: z.string().nullable(),
        target: z.string(),
        state: z.enum(['resolved', 'ambiguous', 'unresolved']),
        candidates: z.array(z.string()),
      }),
    ),
    more: z.boolean(),
  }),
  handler: async (vault, caller, { path, private: asked, ...options }) => {
    const principal = callerPrincipal(vault, caller);
    if (asked === true) requirePrivateSearch(principal);
    // The file decides who may see it, and in the same words for what is absent and what is hidden.
    await readVisible(vault, principal, path);
    const reply = await vault.graph(path, {
      ...options,
      ...readerOf(vault, principal),
      ...(asked === undefined ? {} : { private: asked }),
    });
    if (reply === null) throw new VaultError('not_found', { path }, `No document that can be read as Markdown at '${path}'.`);
    return mutable(reply);
  },
});

const requirePrivateSearch = (principal: Principal): void => requireCapabilities(principal, ['search:private'], 'search private documents');

/** Whoever may read everything is not filtered; a filter also hides what leads nowhere. */
const readerOf = (vault: Vault, principal: Principal): { readonly mayRead?: (type: string | null) => boolean } =>
  mayReadEverything(principal, vault.registry) ? {} : { mayRead: type => mayRead(principal, vault.registry, type) };

type Mutable<T> = T extends readonly (infer E)[] ? Mutable<E>[] : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

/** The same value for the schema, whose lists are not declared read-only. */
const mutable = <T>(value: T): Mutable<T> => value as Mutable<T>;
