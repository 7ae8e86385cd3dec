import { invalidMember } from '#errors';
import { normalizedScore } from '#semantic';
import { submitChange } from '../links/submit-change.ts';
import { checkMemories } from './check-memories.ts';
import type { MemorySource } from './memory-source.ts';
import { resolveConflict } from './resolve-conflict.ts';
import { rollUpFeedback } from './roll-up-feedback.ts';
import type { VaultMemory } from './vault-memory.ts';

/** The care for what a vault remembers. */
export const createVaultMemory = (source: MemorySource): VaultMemory => ({
  check: options => checkMemories(source, options),
  resolve: (conflict, keep, writer) => resolveConflict(source, conflict, keep, writer),
  async feedback({ subject, score, comment, record, key }, writer) {
    if (normalizedScore(score) === null) {
      throw invalidMember('score', 'must be a number from 0 (bad) to 1 (good), or -1 for a thumb down.');
    }
    const payload = {
      event_type: 'feedback',
      subject,
      score,
      ...(comment === undefined ? {} : { comment }),
      ...(record === undefined ? {} : { record }),
    };
    const content = JSON.stringify(payload);
    return submitChange(source, writer, { type: 'event', path: subject, content, ...(key === undefined ? {} : { key }) });
  },
  rollUp: (paths, writer) => rollUpFeedback(source, paths, writer),
});
