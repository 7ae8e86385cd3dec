import { type Attempt, boundWorkspace } from './attempt.ts';
import { lockedTarget, rollBack } from './recovery.ts';

/**
 * Takes stage 9 back while the commit lock is still held (§6.3). Where that fails, or someone wrote the document meanwhile, the intent is kept
 * and recovery decides.
 */
export async function undoCommit(attempt: Attempt): Promise<void> {
  const { held } = attempt;
  if (held === null) return;
  const { intent, scope } = held;
  try {
    const outcome = await rollBack(intent, lockedTarget(boundWorkspace(attempt).adapters.vfs, intent.path));
    if (outcome === 'conflict') scope.keepIntent();
  } catch {
    // The failure that made the undo necessary is the one to report.
    scope.keepIntent();
  }
}
