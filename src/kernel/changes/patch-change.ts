import { encodeUtf8, hashContent, hasKey, type ParsedFile, patchDocument } from '#document';
import { checkChange, validateDocument } from '#validation';
import type { Attempt } from '../attempt.ts';
import { loadReferences } from '../load-references.ts';
import { issueText } from '../refusals.ts';
import type { Change } from './change.ts';
import { assertionIssues, refuseIssues } from './change-rules.ts';
import { existingDocument } from './existing-document.ts';

/** Merges into an existing document; `__body__` replaces the body, or extends it on an append-type document (§6.2, §5.3). */
export async function patchChange(attempt: Attempt): Promise<Change> {
  const { envelope, before, kernel, warnings } = attempt;
  const { document, definition } = existingDocument(attempt);
  const patches = envelope.patches ?? {};
  const patchedKeys = Object.keys(patches);
  const patched = patchDocument(document, patches, definition.append_only ? 'append' : 'replace');
  const after: ParsedFile = { kind: 'document', document: patched };
  const verdict = validateDocument(after, kernel.registry, await loadReferences(attempt, after));
  refuseIssues([
    ...assertionIssues(attempt, definition.qualified),
    ...(before === null ? [] : checkChange({ before, after, patchedKeys, registry: kernel.registry })),
    ...verdict.errors,
  ]);
  warnings.push(...verdict.warnings.map(issueText));
  const bytes = encodeUtf8(patched.text);
  return {
    action: definition.append_only && hasKey(patches, '__body__') ? 'append' : 'patch',
    definition,
    primitiveId: definition.qualified,
    primitiveVersion: definition.version,
    after: bytes,
    afterHash: hashContent(bytes),
    proposed: patched.data,
    changedFields: patchedKeys.sort(),
  };
}
