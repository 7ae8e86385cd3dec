import { ConflictError, SheafError, toSheafError } from './client-error.ts';
import { entryTexts } from './entry-texts.ts';
import { type EnvelopeCalls, newKey, type SubmitOptions } from './envelope-calls.ts';
import { errorStatuses } from './error-statuses.ts';
import type { CallOptions, Transport } from './transport.ts';
import type { Document, DocumentEntry, Envelope, EnvelopeResponse, Json, SuccessResponse } from './wire-types.ts';

/** What a write may say beside path and text. */
export interface WriteOptions extends SubmitOptions {
  /** Makes a repetition of this write, also in a later run, happen once. Default: a fresh one. */
  readonly key?: string;
  readonly operationId?: string;
  readonly leaseId?: string;
  readonly dryRun?: boolean;
}

/** What an update may say beside path and patch. */
export interface UpdateOptions extends Omit<WriteOptions, 'ifMatch' | 'dryRun'> {
  /** What the patch was made from. Default: the document as it is now. */
  readonly base?: Document;
  /** How often it is applied anew when others write at the same time. Default 10. */
  readonly tries?: number;
}

/** Which documents to list: those below a prefix, or those of one type. */
export interface ListOptions extends CallOptions {
  readonly prefix?: string | undefined;
  readonly type?: string | undefined;
}

/** Documents. Whatever is refused is thrown as `SheafError`. */
export interface DocumentCalls {
  /** The document, or null when there is none. Whoever may not read the whole vault is told `forbidden` of those that are hidden and of those that are not there. */
  read(path: string, options?: CallOptions): Promise<Document | null>;
  /** Every document that the caller may read, in path order. */
  list(options?: ListOptions): AsyncGenerator<DocumentEntry>;
  /** One page of the list; `cursor` begins the next one, null = there is none. */
  page(
    options?: ListOptions & { readonly limit?: number; readonly cursor?: string },
  ): Promise<{ readonly documents: readonly DocumentEntry[]; readonly cursor: string | null }>;
  /** The whole document. With `ifMatch` a stale write is refused instead of losing what others wrote. */
  write(path: string, content: string, options?: WriteOptions): Promise<SuccessResponse>;
  /** Some frontmatter keys; null is stored as null, `__body__` is the body. */
  patch(path: string, patches: { readonly [key: string]: Json }, options?: WriteOptions): Promise<SuccessResponse>;
  /** Removes the document; the log keeps that it was there. */
  remove(path: string, options?: WriteOptions): Promise<SuccessResponse>;
  /**
   * A patch that cannot overwrite what somebody else wrote: applied to the version it was made from, and applied anew to a later version as long as
   * none of its own keys changed there. Otherwise `ConflictError`, with both versions.
   *
   * @example await client.documents.update('tasks/a.md', { status: 'done' });
   */
  update(path: string, patches: { readonly [key: string]: Json }, options?: UpdateOptions): Promise<SuccessResponse>;
}

export const createDocumentCalls = (transport: Transport, envelopes: EnvelopeCalls): DocumentCalls => {
  const submit = async (envelope: Envelope, options: WriteOptions): Promise<SuccessResponse> =>
    successOf(await envelopes.submit({ ...envelope, ...membersOf(options) }, options));

  const read: DocumentCalls['read'] = async (path, { signal } = {}) => {
    const { status, body } = await transport.send({
      path: documentUrl(path),
      headers: { accept: 'application/json' },
      repeatable: true,
      signal,
    });
    if (status === 200) return body as Document;
    const error = toSheafError(status, body);
    if (error.code === 'not_found') return null;
    throw error;
  };

  const page: DocumentCalls['page'] = ({ signal, ...query } = {}) =>
    transport.call({ path: '/v1/documents', query, repeatable: true, signal });

  async function* list(options: ListOptions = {}): AsyncGenerator<DocumentEntry> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const found: Awaited<ReturnType<DocumentCalls['page']>> = await page({
        ...options,
        limit: 1000,
        ...(cursor === '' ? {} : { cursor }),
      });
      yield* found.documents;
      cursor = found.cursor;
    }
  }

  return {
    read,
    page,
    list,
    write: (path, content, options = {}) => submit({ type: 'operation', path, content }, options),
    patch: (path, patches, options = {}) => submit({ type: 'patch', path, patches }, options),
    remove: (path, options = {}) => submit({ type: 'delete', path }, options),
    async update(path, patches, { base: given, tries = 10, ...options } = {}) {
      const base = given ?? (await read(path, options));
      if (base === null) throw new SheafError('not_found', `No document at '${path}'.`, { status: 404 });
      // The same key throughout: only one of the tries can be committed.
      const envelope: Envelope = { type: 'patch', path, patches, ...membersOf({ key: newKey(), ...options }) };
      let version = base;
      for (let attempt = 1; ; attempt += 1) {
        const response = await envelopes.submit(envelope, { ...options, ifMatch: version.hash });
        if (response.success || response.error.code !== 'version_conflict' || attempt === tries) return successOf(response);
        const current = await read(path, options);
        const keys = current === null ? Object.keys(patches) : changedKeys(base, current, Object.keys(patches));
        if (current === null || keys.length > 0) throw new ConflictError(path, { keys, base, current });
        version = current;
      }
    },
  };
};

const documentUrl = (path: string): string => `/v1/documents/${path.split('/').map(encodeURIComponent).join('/')}`;

const membersOf = ({ key, operationId, leaseId, dryRun }: WriteOptions): Partial<Envelope> => ({
  ...(key === undefined ? {} : { idempotency_key: key }),
  ...(operationId === undefined ? {} : { operation_id: operationId }),
  ...(leaseId === undefined ? {} : { lease_id: leaseId }),
  ...(dryRun === undefined ? {} : { dry_run: dryRun }),
});

const changedKeys = (base: Document, current: Document, keys: readonly string[]): string[] => {
  const [before, now] = [entryTexts(base.content), entryTexts(current.content)];
  return keys.filter(key => before.get(key) !== now.get(key));
};

/** The response, or its refusal as an error. */
export const successOf = (response: EnvelopeResponse): SuccessResponse => {
  if (response.success) return response;
  throw toSheafError(errorStatuses[response.error.code] ?? 500, response);
};
