import { encodeUtf8, hashContent, parseDocument } from '#document';
import { checkChange, validateDocument } from '#validation';
import type { Attempt } from '../attempt.ts';
import { loadReferences } from '../load-references.ts';
import { issueText } from '../refusals.ts';
import type { Change } from './change.ts';
import { assertionIssues, refuseIssues, refuseStoredConflict } from './change-rules.ts';

/** Creates a document or replaces it whole (§6.2). */
export async function operationChange(attempt: Attempt): Promise<Change> {
  const { envelope, before, current, kernel, warnings } = attempt;
  const text = envelope.content ?? '';
  const bytes = encodeUtf8(text);
  const afterHash = hashContent(bytes);
  const after = parseDocument(text);
  const verdict = validateDocument(after, kernel.registry, await loadReferences(attempt, after));
  attempt.declaredType = verdict.type;
  refuseStoredConflict(attempt);
  // The stored bytes again change nothing, so rules about change have nothing to refuse; stage 6 answers `unchanged`.
  const changes = before !== null && current?.hash !== afterHash;
  refuseIssues([
    ...assertionIssues(attempt, verdict.type),
    ...verdict.errors,
    ...(changes ? checkChange({ before, after, patchedKeys: null, registry: kernel.registry }) : []),
  ]);
  if (after.kind !== 'document' || verdict.definition === null) throw new Error('validation passed a file without a type');
  warnings.push(...verdict.warnings.map(issueText));
  if (changes && before.kind !== 'document')
    warnings.push(`path: '${envelope.path}' was not an SSSS document (${before.kind}); it was replaced whole.`);
  return {
    action: current === null ? 'create' : 'replace',
    definition: verdict.definition,
    primitiveId: verdict.definition.qualified,
    primitiveVersion: verdict.definition.version,
    after: bytes,
    afterHash,
    proposed: after.document.data,
    changedFields: [],
  };
}
