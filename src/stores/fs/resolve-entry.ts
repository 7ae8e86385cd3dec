import type { LockedTarget, RecoveryReport, ResolveIntent } from '#adapter-contracts';
import { isVaultError } from '#errors';
import type { DocumentWriter } from './document-writer.ts';
import type { FsPlatform } from './fs-platform.ts';
import type { JournalEntry } from './journal-record.ts';
import type { KeptIntents } from './kept-intents.ts';
import type { Report } from './store-notice.ts';
import { readDocument } from './stored-document.ts';
import type { VaultLayout } from './vault-layout.ts';

/** What resolving one intent touches. */
export interface ResolveTools {
  readonly platform: FsPlatform;
  readonly layout: VaultLayout;
  readonly documents: DocumentWriter;
  readonly kept: KeptIntents;
  readonly report: Report;
}

/**
 * Lets the kernel decide one leftover under its path's lock, and calls `forget` once the decision is durable. Dying in between is harmless: the next
 * recovery decides the same intent again, on what it finds then.
 */
export const resolveEntry = async (
  tools: ResolveTools,
  { intent, directories }: JournalEntry,
  resolve: ResolveIntent,
  forget: () => void,
): Promise<RecoveryReport> => {
  const { workspace_id, path, event_id } = intent;
  const outcome = await resolve(intent, lockedTarget(tools, path)).catch((error: unknown) => {
    // The path turned into a link or a directory: someone else was there.
    if (isVaultError(error) && error.code === 'invalid_request') return 'conflict' as const;
    throw error;
  });
  const report = { workspace_id, path, event_id, outcome };
  if (outcome !== 'conflict') {
    if (intent.prior === null && outcome !== 'committed') tools.documents.removeEmpty(directories);
    forget();
    return report;
  }
  const kept_at = tools.kept.setAside(intent);
  forget();
  tools.report({
    kind: 'intent_conflict',
    message: `A half-done commit on '${path}' (event ${event_id}) met bytes that neither it nor its predecessor wrote. They stay as they are; what the commit knew is kept in '${kept_at}'.`,
    file: kept_at,
  });
  return { ...report, kept_at };
};

const lockedTarget = ({ platform, layout, documents }: ResolveTools, path: string): LockedTarget => {
  const read = (): ReturnType<typeof readDocument> => readDocument(platform.fs, layout.root, path);
  return {
    read: async () => read(),
    async restore(content) {
      if (content === null && read() === null) return;
      const [result] = await documents.apply([{ path, bytes: content, expected: null, creates: false, madeDirectories: new Set() }]);
      if (result?.status === 'rejected') throw result.reason;
    },
  };
};
