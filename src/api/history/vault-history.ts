import type { CanonicalEvent } from '#adapter-contracts';
import type { ExecuteContext, KernelResponse } from '#kernel';
import type { GitHistoryControl, HistoryCollection } from '#projections';

/** One version of a document as far as it is known. */
export interface PastVersion {
  /** The event that left this version; null for a file as it is stored now, and where the log knows none. */
  readonly event_id: string | null;
  readonly timestamp: string | null;
  /** `sha256:<hex>`; null = there was no document. */
  readonly hash: string | null;
  /** The qualified type that the log recorded, null when it says none. */
  readonly type: string | null;
  /** The exact text; null when there was no document or its content is missing. */
  readonly content: string | null;
  /** Why there is no text although there was a document. */
  readonly missing?: string;
}

/** What one event did to its document. */
export interface DocumentChange {
  readonly event: CanonicalEvent;
  /** False for events that touch no document; they have no versions. */
  readonly changes_document: boolean;
  readonly before: PastVersion;
  readonly after: PastVersion;
  /** Unified; null when one of the contents is missing. */
  readonly diff: string | null;
}

/** Two versions side by side. */
export interface DocumentDiff {
  readonly path: string;
  readonly from: PastVersion;
  readonly to: PastVersion;
  /** Unified, empty when both are equal; null when one of the contents is missing. */
  readonly diff: string | null;
}

/** Lines [first_line, last_line] of the text, counted from 1, and where they come from. */
export interface BlamedLines {
  readonly first_line: number;
  readonly last_line: number;
  /** `unrecorded`: changed outside the contract and not accepted into the log; `unknown`: older than what the history still holds. */
  readonly origin: 'event' | 'unrecorded' | 'unknown';
  /** For `event` the one that set it; for the others the oldest event that surely came later, null when there is none. */
  readonly event_id: string | null;
}

/** A frontmatter key and which event gave it its value. */
export interface BlamedField extends BlamedLines {
  readonly key: string;
}

export interface DocumentBlame {
  readonly path: string;
  readonly hash: string;
  /** The text the line numbers belong to. */
  readonly content: string;
  readonly type: string | null;
  readonly fields: readonly BlamedField[];
  /** The body, from its first line on; neighbouring lines of one origin together. */
  readonly body: readonly BlamedLines[];
  /** Every event that is named above, newest first. */
  readonly events: readonly {
    readonly event_id: string;
    readonly timestamp: string;
    readonly principal_id: string;
    readonly action: string;
  }[];
  /** False when something is `unknown`. */
  readonly complete: boolean;
  /** Why it is not complete. */
  readonly note: string | null;
}

/** What may be said of an undo beside the event. */
export interface UndoOptions extends Omit<ExecuteContext, 'ifMatch' | 'causationId' | 'hostAction'> {
  /** Restore although the document moved on: over what is stored now. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** In place of the derived key. */
  readonly key?: string;
  readonly leaseId?: string;
  readonly operationId?: string;
}

/** The past of an open vault (§8): contents by hash, documents at any event, who set what, and taking a change back. */
export interface VaultHistory {
  /** The bytes of a past or present version, or null when they are not kept. `path` says where they may still stand. */
  contentOf(hash: string, path?: string): Promise<Uint8Array | null>;
  /** What an event did. Throws `not_found` for an unknown event. */
  change(eventId: string): Promise<DocumentChange>;
  /** The document as it was right after an event of the log, whatever that was about. Throws `not_found` when the log holds no such event. */
  at(path: string, eventId: string): Promise<PastVersion>;
  /**
   * What stands in the file but not in the log; with one event what it changed at `path`; with two what differs between the document after the first and
   * after the second. Throws `not_found` when neither log nor vault know the path, `invalid_request` when one event is about another path.
   */
  diff(path: string, from?: string, to?: string): Promise<DocumentDiff>;
  /** Which event set each frontmatter key and each body line of the stored document, or of the document at an event. Throws `not_found`. */
  blame(path: string, at?: string): Promise<DocumentBlame>;
  /**
   * Takes back what an event did, as a new envelope through the contract whose cause is that event (readings: history and undo). The contract's own refusals come as its
   * response; what keeps an undo from being made at all is thrown: `not_found` for an unknown event or a content that is not kept, `version_conflict` when
   * the document moved on, `validation_failed` for what the contract never takes back, `invalid_request` for events that changed nothing.
   */
  undo(eventId: string, options: UndoOptions): Promise<KernelResponse>;
  /** Removes past contents beyond the limit in `workspace.json`; without a limit only what dead writers left. */
  collect(options?: { readonly dryRun?: boolean }): Promise<HistoryCollection>;
  /** Resolves when every content handed over so far is written. */
  flush(): Promise<void>;
  /** The documents as commits in the git repository around the vault; null for a vault in memory or opened for reading only. */
  readonly git: GitHistoryControl | null;
}
