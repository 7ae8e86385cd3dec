import type { LastRecorded } from '#adapter-contracts';
import { foldPath } from '#document';

/** Where one line of the log stands, without its newline. */
export interface EventPlace {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

/** How far into the log the index reaches; segment 0 = it holds nothing. */
export interface IndexPosition {
  readonly segment: number;
  readonly offset: number;
  /** The last line before `offset` and its digest; null at the start of a segment. They tell a log that was exchanged from one that grew. */
  readonly last: { readonly place: EventPlace; readonly digest: string } | null;
}

/** What the index keeps of one event. */
export interface IndexedEvent {
  readonly eventId: string;
  /** Digest of (workspace, idempotency key). */
  readonly keyHash: Uint8Array;
  readonly place: EventPlace;
  readonly recorded: (LastRecorded & { readonly workspaceId: string; readonly path: string }) | null;
}

/** Something about the log that a person should know, met while it was read into the index (readings: damaged logs). */
export interface LogFinding {
  /** `unreadable`: bytes that are no event; `repeated`: an event that stands there a second time; `missing`: an event that stood in the log before. */
  readonly kind: 'unreadable' | 'repeated' | 'missing';
  /** Where; 0 throughout for what is missing. */
  readonly place: EventPlace;
  /** Why the bytes are no event, or the id of the event. */
  readonly detail: string;
}

/**
 * What can be known from the log, by key: derived, rebuildable, never believed without looking at the line itself. Readers see what was committed;
 * writers hold the log lock.
 */
export interface EventIndex {
  position(): IndexPosition;
  findById(eventId: string): EventPlace | null;
  findByKey(keyHash: Uint8Array): EventPlace | null;
  lastRecorded(workspaceId: string, path: string): LastRecorded | null;
  /** In path order, from the first path after `after`. */
  recordedAfter(workspaceId: string, after: string, limit: number): readonly (LastRecorded & { readonly path: string })[];
  /** Every spelling of a document path or directory that folds to `folded`. */
  spellings(folded: string): readonly string[];
  /** Recorded document paths below a directory, spelled exactly so. */
  recordedBelow(directory: string, after: string, limit: number): readonly string[];
  /** Sizes of segments that were complete when the index left them. */
  sealedSegments(): ReadonlyMap<number, number>;
  /** In the order in which they were met. */
  findings(): readonly LogFinding[];
  /** The ids of all events, in any order. */
  eventIds(): Iterable<string>;
  begin(): IndexTransaction;
  close(): void;
}

/** Changes of the index that become visible together. Ends with `commit` or `rollback`. */
export interface IndexTransaction {
  /** As the index stands now that nobody else can change it. */
  position(): IndexPosition;
  /** Adds an event; false when its id was there already (the first place stays). */
  add(event: IndexedEvent): boolean;
  /** Notes the final size of a segment that is left for the next one. */
  seal(segment: number, size: number): void;
  moveTo(position: IndexPosition): void;
  /** Keeps a finding; once, however often it is met. */
  note(finding: LogFinding): void;
  commit(): void;
  /** Never throws: a connection that cannot roll back fails when it is used next. */
  rollback(): void;
}

/** The index cannot be read or written; a fresh one loses nothing. `cause` says why. */
export class EventIndexDamagedError extends Error {
  override readonly name = 'EventIndexDamagedError';
}

/** A path and each directory above it, folded and as spelled. */
export const pathPrefixes = (path: string): readonly { readonly folded: string; readonly actual: string }[] => {
  const prefixes: { folded: string; actual: string }[] = [];
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
    prefixes.push({ folded: foldPath(path.slice(0, end)), actual: path.slice(0, end) });
  }
  prefixes.push({ folded: foldPath(path), actual: path });
  return prefixes;
};
