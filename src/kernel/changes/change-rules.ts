import { conflictMarkers, type ParsedFile } from '#document';
import type { FieldIssue } from '#errors';
import type { Attempt } from '../attempt.ts';
import { validationFailed } from '../refusals.ts';

const textOf = (file: ParsedFile): string => (file.kind === 'document' ? file.document.text : file.text);

/** Throws `validation_failed` when there is anything to repair. */
export function refuseIssues(issues: readonly FieldIssue[]): void {
  if (issues.length > 0) throw validationFailed(issues);
}

/**
 * An unresolved merge must reach a person: no write may bury it, except a full replace by someone who saw exactly those bytes
 * (readings: conflict markers).
 */
export function refuseStoredConflict({ before, current, envelope, context }: Attempt): void {
  if (before === null) return;
  if (envelope.type === 'operation' && context.ifMatch === current?.hash) return;
  refuseIssues(conflictMarkers(textOf(before)));
}

/** `primitive_type` asserts the target's type and never selects it (§6.1). `actual` is qualified, null when unknown. */
export function assertionIssues({ envelope, kernel }: Attempt, actual: string | null): readonly FieldIssue[] {
  const asserted = envelope.primitive_type;
  if (asserted === undefined || asserted === actual) return [];
  const resolved = kernel.registry.resolve(asserted);
  if (resolved !== null && resolved.qualified === actual) return [];
  const issue =
    resolved === null
      ? `Unknown type '${asserted}'.`
      : `The document is a ${actual ?? 'document of unknown type'}, not a ${resolved.qualified}.`;
  return [{ field: 'primitive_type', issue }];
}
