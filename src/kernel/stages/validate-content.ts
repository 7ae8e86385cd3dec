import { isIndexPath } from '#document';
import type { Attempt, Stage } from '../attempt.ts';
import type { Change } from '../changes/change.ts';
import { deleteChange } from '../changes/delete-change.ts';
import { eventChange } from '../changes/event-change.ts';
import { indexChange } from '../changes/index-change.ts';
import { operationChange } from '../changes/operation-change.ts';
import { patchChange } from '../changes/patch-change.ts';

const mostWarnings = 100;

/** Stage 4 — what the envelope would store, and whether that may stand (§6.2, §9). */
export const validateContent: Stage = async attempt => {
  attempt.change = await plannedChange(attempt);
  attempt.declaredType = attempt.change.primitiveId;
  const { envelope, context, drifted, warnings } = attempt;
  // A replace or delete of such a file is refused after stage 6; a patch keeps every other byte and says so (readings: drift).
  if (envelope.type === 'patch' && drifted && context.ifMatch === undefined)
    warnings.push(`path: '${envelope.path}' was changed outside Sheaf; this change was made on what stands there now.`);
  // The event keeps them, and a log line must not be larger than the document it is about.
  if (warnings.length > mostWarnings)
    warnings.splice(mostWarnings, Number.POSITIVE_INFINITY, `And ${warnings.length - mostWarnings} more warnings.`);
  return undefined;
};

async function plannedChange(attempt: Attempt): Promise<Change> {
  const { type, path } = attempt.envelope;
  if (type === 'event') return eventChange;
  if (isIndexPath(path)) return indexChange(attempt);
  if (type === 'operation') return operationChange(attempt);
  return type === 'patch' ? patchChange(attempt) : deleteChange(attempt);
}
