import type { Document } from '#document';
import { VaultError } from '#errors';
import type { Definition } from '#registry';
import type { Attempt } from '../attempt.ts';
import { validationFailed } from '../refusals.ts';
import { refuseStoredConflict } from './change-rules.ts';

/** The document a patch or delete is about. Throws `not_found`, or `validation_failed` for a file that is not a readable document. */
export function existingDocument(attempt: Attempt): { readonly document: Document; readonly definition: Definition } {
  const { before, envelope, kernel } = attempt;
  if (before === null) throw new VaultError('not_found', { path: envelope.path }, `No document at '${envelope.path}'.`);
  refuseStoredConflict(attempt);
  if (before.kind === 'invalid') throw validationFailed(before.issues);
  if (before.kind === 'ordinary')
    throw validationFailed([{ field: 'frontmatter', issue: `'${envelope.path}' is not an SSSS document: ${before.reason}` }]);
  const { document } = before;
  const { type } = document.data;
  const definition = typeof type === 'string' ? kernel.registry.resolve(type) : null;
  attempt.declaredType = definition?.qualified ?? null;
  if (definition === null) {
    const issue =
      typeof type === 'string'
        ? `The stored document has the unknown type '${type}'; load the extension that defines it, or correct the type in an editor.`
        : 'The stored document has no type; replace it with an operation.';
    throw validationFailed([{ field: 'type', issue }]);
  }
  return { document, definition };
}
