import { z } from 'zod';
import { isVaultError, reasonOf, VaultError } from '#errors';
import { defineCall } from '../call.ts';
import { authorizedCaller } from '../read-rights.ts';

export const showEmbedder = defineCall({
  name: 'index.embedder',
  summary: 'The embedding model that this vault is searched with, where text is sent, and whether its vectors are level.',
  input: z.strictObject({}),
  output: z.object({
    state: z.enum(['off', 'reindex_needed', 'ready']),
    /** Why it is off although one is set, or why the vectors cannot be used. */
    reason: z.string().nullable(),
    model: z.string().nullable(),
    dimension: z.number().int().nullable(),
    /** The origin or directory that text is sent to. */
    place: z.string().nullable(),
    /** Whether text leaves this machine. */
    hosted: z.boolean(),
    /** Whether documents of private classes are embedded. */
    private: z.boolean(),
    documents: z.number().int(),
    missing: z.number().int(),
  }),
  handler: async (vault, caller) => {
    authorizedCaller(vault, caller, 'admin:index', 'see the embedding model');
    const { embedder, embedsPrivate, place, hosted, state, documents } = await vault.embeddings.overview();
    return {
      state: state.state,
      reason: state.state === 'ready' ? null : (state.reason ?? null),
      model: embedder?.model ?? null,
      dimension: state.state === 'ready' ? state.dimension : (embedder?.dimension ?? null),
      place,
      hosted,
      private: embedsPrivate,
      documents,
      missing: state.state === 'ready' ? state.missing : documents,
    };
  },
});

export const embedDocuments = defineCall({
  name: 'index.embed',
  summary: 'Embed the documents that have no vectors for their content yet; call again until none is missing.',
  input: z.strictObject({
    /** Make every vector anew. Only with the first of several calls. */
    rebuild: z.boolean().optional(),
    limit: z.number().int().min(1).max(1000).default(200),
  }),
  output: z.object({
    model: z.string(),
    dimension: z.number().int(),
    embedded: z.number().int(),
    missing: z.number().int(),
    total: z.number().int(),
    failed: z.array(z.object({ path: z.string(), reason: z.string() })).readonly(),
  }),
  handler: async (vault, caller, { rebuild, limit }) => {
    authorizedCaller(vault, caller, 'admin:index', 'embed documents');
    try {
      return await vault.embeddings.embed({ limit, ...(rebuild === undefined ? {} : { rebuild }) });
    } catch (error) {
      if (isVaultError(error)) throw error;
      // The model is away, or answers nonsense: whoever asked has to know which.
      throw new VaultError('internal_error', {}, reasonOf(error), { cause: error });
    }
  },
});
