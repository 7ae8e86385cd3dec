import type { CanonicalEvent, Principal } from '#adapter-contracts';
import { hashContent, parseDocument } from '#document';
import { isVaultError } from '#errors';
import { type Held, holderOf, outsideReason, type RunVault } from '#runtime';
import { runCall } from '../call.ts';
import { listDocuments } from '../calls/document-calls.ts';
import { searchVault } from '../calls/search-calls.ts';
import { mayRead } from '../read-rights.ts';
import { readVisible } from '../read-visible.ts';
import type { Vault } from '../vault.ts';

/** The vault with the rights of one run: the same calls that every client has, as the run's principal, under the claim on its task. */
export const createRunVault = (
  vault: Vault,
  run: {
    readonly principal: Principal;
    readonly held: Held;
    readonly runPath: string;
    readonly lastEvent: (path: string) => Promise<CanonicalEvent | null>;
  },
): RunVault => {
  const { principal, held, runPath, lastEvent } = run;
  const caller = { principal };
  let submitted = 0;
  return {
    capabilities: principal.capabilities,
    async read(path) {
      const document = await orNull(() => readVisible(vault, principal, path));
      if (document === null) return null;
      const parsed = parseDocument(document.text);
      const { hash, text } = document;
      const outside = outsideReason({ last: await lastEvent(path), hash });
      return parsed.kind === 'document'
        ? { path, hash, data: parsed.document.data, body: parsed.document.body, outside }
        : { path, hash, data: {}, body: text, outside };
    },
    async list(options) {
      const { documents } = await runCall(listDocuments, vault, caller, options);
      return documents.map(({ path, type, title }) => ({ path, type, title }));
    },
    async search(query, limit) {
      const { hits } = await runCall(searchVault, vault, caller, { q: query, limit });
      return hits.map(({ path, title, snippet }) => ({ path, title, snippet: snippet.text }));
    },
    async outside(path) {
      const document = await orNull(() => vault.read(path));
      if (document === null || !mayRead(principal, vault.registry, document.type)) return 'there is nothing to read';
      return outsideReason({ last: await lastEvent(path), hash: document.hash });
    },
    async submit({ ifMatch, ...envelope }) {
      submitted += 1;
      const basis = JSON.stringify([vault.workspaceId, runPath, held.lease_id, submitted]);
      const response = await vault.execute(
        {
          ...envelope,
          workspace_id: vault.workspaceId,
          idempotency_key: `work-${hashContent(basis).slice('sha256:'.length)}`,
          operation_id: held.operation_id,
        },
        {
          principal,
          fence: { ...holderOf(held), target: held.taskPath },
          ...held.cause,
          ...(ifMatch === undefined ? {} : { ifMatch }),
        },
      );
      if (!response.success) return { success: false, code: response.error.code, message: response.error.message };
      return { success: true, path: response.path, ...(response.event_id === undefined ? {} : { event_id: response.event_id }) };
    },
  };
};

/** What may not be read reads as absent. */
const orNull = async <T>(read: () => Promise<T | null>): Promise<T | null> => {
  try {
    return await read();
  } catch (error) {
    if (isVaultError(error)) return null;
    throw error;
  }
};
