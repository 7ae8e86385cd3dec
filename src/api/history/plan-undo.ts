import { type Document, decodeUtf8, parseDocument, patchDocument, sameValue, type Value } from '#document';
import { VaultError } from '#errors';
import type { DocumentVersion } from '#projections';
import type { Registry } from '#registry';

/** What an undo asks the contract for. */
export type UndoChange =
  | { readonly type: 'operation'; readonly content: string }
  | { readonly type: 'patch'; readonly patches: Readonly<Record<string, unknown>> }
  | { readonly type: 'delete' };

/**
 * The change that puts `before` (null = no document) in the place of `stored`. A document of an append type cannot be rewritten (§5.3), so there the values that
 * changed are patched back, as long as that gives exactly the earlier bytes. Throws `validation_failed` when nothing in the contract does.
 */
export const planUndo = (registry: Registry, version: DocumentVersion, before: string | null, stored: Uint8Array | null): UndoChange => {
  const current = stored === null ? null : readDocument(stored);
  const type = current?.data.type;
  const definition = typeof type === 'string' ? registry.resolve(type) : null;
  const grows = definition?.append_only === true;
  if (before === null) {
    if (grows) throw cannot(version, `a ${definition.qualified} only ever grows by appending and cannot be deleted`);
    return { type: 'delete' };
  }
  if (!grows || current === null) return { type: 'operation', content: before };
  return { type: 'patch', patches: valuesBack(version, before, current, definition.qualified) };
};

const cannot = (version: DocumentVersion, issue: string): VaultError<'validation_failed'> =>
  new VaultError(
    'validation_failed',
    { issues: [{ field: 'body', issue }], type: version.primitiveId },
    `The event '${version.event.event_id}' cannot be undone: ${issue}.`,
  );

/** The patch that gives an append-type document its earlier values. */
const valuesBack = (version: DocumentVersion, before: string, current: Document, type: string): Readonly<Record<string, Value>> => {
  const earlier = parseDocument(before);
  if (earlier.kind !== 'document') throw cannot(version, `what a ${type} replaced by hand cannot be put back into it`);
  const { data } = earlier.document;
  if (earlier.document.body !== current.body)
    throw cannot(version, `what was appended to a ${type} stays; append a record that corrects it`);
  const added = Object.keys(current.data).filter(key => !Object.hasOwn(data, key));
  if (added.length > 0) throw cannot(version, `a patch cannot remove ${added.map(key => `'${key}'`).join(', ')} from a ${type} again`);
  const patches = Object.fromEntries(
    Object.entries(data).filter(
      ([key, value]) => !Object.hasOwn(current.data, key) || !sameValue(current.data[key] as Value, value as Value),
    ),
  );
  if (patchDocument(current, patches, 'append').text !== before)
    throw cannot(version, `a patch would write the earlier values of this ${type} in other words than they were written`);
  return patches as Readonly<Record<string, Value>>;
};

const readDocument = (bytes: Uint8Array): Document | null => {
  try {
    const parsed = parseDocument(decodeUtf8(bytes));
    return parsed.kind === 'document' ? parsed.document : null;
  } catch {
    return null;
  }
};
