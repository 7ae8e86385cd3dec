import type { Attempt } from '../attempt.ts';
import type { Change } from './change.ts';
import { assertionIssues, refuseIssues } from './change-rules.ts';
import { existingDocument } from './existing-document.ts';

/** Removes a replace-type document (§6.2). A document that is invalid in other ways may still be removed. */
export function deleteChange(attempt: Attempt): Change {
  const { definition } = existingDocument(attempt);
  refuseIssues([
    ...assertionIssues(attempt, definition.qualified),
    ...(definition.append_only
      ? [{ field: 'type', issue: `A ${definition.qualified} only ever grows by appending and cannot be deleted.` }]
      : []),
  ]);
  return {
    action: 'delete',
    definition,
    primitiveId: definition.qualified,
    primitiveVersion: definition.version,
    after: null,
    afterHash: null,
    proposed: null,
    changedFields: [],
  };
}
