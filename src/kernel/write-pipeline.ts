// How a change becomes true: the thirteen stages of §6.3, in the standard's order.
import { reasonOf, VaultError } from '#errors';
import type { Attempt, Stage } from './attempt.ts';
import type { KernelResponse, SuccessResponse } from './kernel-response.ts';
import { replayOfKey } from './recorded-key.ts';
import { releaseReservation } from './release-reservation.ts';
import { committedResponse, failureResponse, refusalOf } from './respond.ts';
import { appendEvent } from './stages/append-event.ts';
import { authorize } from './stages/authorize.ts';
import { checkEnvelope } from './stages/check-envelope.ts';
import { commitDocument } from './stages/commit-document.ts';
import { dispatchProjections } from './stages/dispatch-projections.ts';
import { exitDryRun } from './stages/exit-dry-run.ts';
import { finalizeResource } from './stages/finalize-resource.ts';
import { findRecordedKey } from './stages/find-recorded-key.ts';
import { prepareResource } from './stages/prepare-resource.ts';
import { readCurrent } from './stages/read-current.ts';
import { recordIdempotency } from './stages/record-idempotency.ts';
import { validateContent } from './stages/validate-content.ts';
import { verifyLease } from './stages/verify-lease.ts';
import { underCommitLock } from './under-commit-lock.ts';

const writePipeline: readonly Stage[] = [
  checkEnvelope, //         1  a well-formed envelope and a principal; nothing is read yet
  findRecordedKey, //       2  the key decides: replay or conflict
  readCurrent, //           3  the target and its version
  validateContent, //       4  what would be stored, and whether it may stand
  authorize, //             5  who may do that
  verifyLease, //           6  then the expected version, and the operation that changes nothing
  prepareResource, //       7  reserve what lies outside the vault
  exitDryRun, //            8  a rehearsal ends here
  underCommitLock(
    commitDocument, //      9  the document, by compare-and-swap
    appendEvent, //        10  the event
  ),

  // The commit point. Before it every failure leaves no trace; after it nothing may undo the change, only warn.
  finalizeResource, //     11  complete what was reserved
  dispatchProjections, //  12  tell derived read models
  recordIdempotency, //    13  keep the answer under its key
];

/** Takes one envelope through the stages. Always answers; the only place where a refusal becomes a response (§6.5). */
export async function runWritePipeline(attempt: Attempt): Promise<KernelResponse> {
  try {
    for (const stage of writePipeline) {
      const answer = await stage(attempt);
      if (answer !== undefined) return answer;
    }
    throw new Error('the last stage gave no answer');
  } catch (error) {
    return answerFailure(attempt, error);
  }
}

async function answerFailure(attempt: Attempt, error: unknown): Promise<KernelResponse> {
  if (attempt.event !== null) return committedResponse(attempt.event, [...attempt.lateWarnings, `kernel: ${reasonOf(error)}`]);
  await releaseReservation(attempt, 'commit');
  try {
    return (await sameKeyWinner(attempt, error)) ?? failureResponse(attempt, refusalOf(error));
  } catch (keyRefusal) {
    return failureResponse(attempt, refusalOf(keyRefusal));
  }
}

/**
 * A refusal that rests on stored state may be the work of a twin envelope: it looked up its key before this key's winner committed, and the state
 * after. Then the winner's answer is the right one, or `idempotency_conflict` (§6.3 Concurrency).
 */
async function sameKeyWinner(attempt: Attempt, error: unknown): Promise<SuccessResponse | null> {
  const restsOnState = error instanceof VaultError && stateCodes.has(error.code);
  return restsOnState ? replayOfKey(attempt) : null;
}

// `forbidden` too: whether an operation creates or replaces, and so what it needs, depends on what is stored.
const stateCodes: ReadonlySet<string> = new Set(['not_found', 'validation_failed', 'forbidden', 'lease_conflict', 'version_conflict']);
