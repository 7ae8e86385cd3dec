import { checkDocumentPath, checkPath, decodeUtf8, parseDocument } from '#document';
import type { Attempt, Stage } from '../attempt.ts';
import { invalidRequest, keepingRefusals, orInternalError } from '../refusals.ts';
import { refuseTwin } from '../refuse-twin.ts';
import type { Workspace } from '../workspace.ts';

/** Stage 3 — the target as it is stored, and whether the log agrees with it (§6.3). An unsafe path fails here. */
export const readCurrent: Stage = async attempt => {
  const { envelope, workspace } = attempt;
  refusePath(checkPath(envelope.path));
  if (envelope.type === 'event') return undefined;
  refusePath(checkDocumentPath(envelope.path, { creating: false }));
  if (workspace !== null) await readSettled(attempt, workspace);
  if (attempt.current !== null) attempt.before = parseDocument(decodeUtf8(attempt.current.bytes));
  else if (envelope.type === 'operation') {
    refusePath(checkDocumentPath(envelope.path, { creating: true }));
    await refuseTwin(attempt);
  }
  return undefined;
};

const refusePath = (reason: string | null): void => {
  if (reason !== null) throw invalidRequest({ field: 'path', issue: reason });
};

/**
 * Reads until document and log agree, or stay apart while nobody is committing: a commit in flight, or one that died half done, looks just like an
 * edit outside the kernel, and nothing may rest on bytes that may yet be rolled back.
 */
async function readSettled(attempt: Attempt, workspace: Workspace): Promise<void> {
  let apart = await readTarget(attempt, workspace);
  for (let round = 0; apart && round < settlingRounds; round += 1) {
    const seen = attempt.current?.hash;
    await workspace.settle(attempt.envelope.path);
    apart = await readTarget(attempt, workspace);
    if (attempt.current?.hash === seen) return;
  }
}

/** More than ever needed; a path under constant writes then meets the compare-and-swap of stage 9 instead. */
const settlingRounds = 8;

/** True when the stored bytes are not what the log last recorded. */
async function readTarget(attempt: Attempt, { id, adapters }: Workspace): Promise<boolean> {
  const { path } = attempt.envelope;
  attempt.current = await keepingRefusals(`'${path}' cannot be read`, () => adapters.vfs.read(path));
  const recorded = await orInternalError('The event log cannot be read', () => adapters.events.lastRecorded(id, path));
  const apart = (recorded?.hash ?? null) !== (attempt.current?.hash ?? null);
  // A file the log never knew has nothing it could have drifted from (readings: drift).
  attempt.drifted = apart && recorded !== null;
  return apart;
}
