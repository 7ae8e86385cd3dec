import { isVaultError } from '#errors';
import { type Attempt, boundWorkspace, type Stage } from '../attempt.ts';
import { internalError } from '../refusals.ts';
import { refuseTwin } from '../refuse-twin.ts';
import { undoCommit } from '../undo-commit.ts';
import { refuseLostFence, refuseWithoutLease } from './verify-lease.ts';

/** Stage 9 — stores or removes the document by compare-and-swap on the version that stage 3 read (§6.3). */
export const commitDocument: Stage = async attempt => {
  if (attempt.envelope.type === 'event') {
    await refuseLostFence(attempt);
    return undefined;
  }
  await refuseWithoutLease(attempt);
  if (attempt.change.action === 'create') await refuseTwin(attempt);
  try {
    await writeDocument(attempt);
  } catch (error) {
    // A refusal wrote nothing. After any other failure the bytes may be there all the same, ahead of the log.
    if (isVaultError(error)) throw error;
    await undoCommit(attempt);
    throw internalError(`'${attempt.envelope.path}' could not be written`, error);
  }
  return undefined;
};

async function writeDocument(attempt: Attempt): Promise<void> {
  const { vfs } = boundWorkspace(attempt).adapters;
  const { envelope, current, change } = attempt;
  if (change.after !== null)
    await vfs.writeAtomic(envelope.path, change.after, current === null ? { ifAbsent: true } : { version: current.version });
  else if (current !== null) await vfs.remove(envelope.path, { version: current.version });
}
