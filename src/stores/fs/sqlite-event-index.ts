import type Database from 'better-sqlite3';
import type { LastRecorded } from '#adapter-contracts';
import {
  createConnection,
  inodeOf,
  machineMark,
  newDatabasePath,
  newestDatabase,
  openConnection,
  removeOlderDatabases,
  translatingDamage,
} from '#sqlite';
import {
  type EventIndex,
  EventIndexDamagedError,
  type EventPlace,
  type IndexPosition,
  type IndexTransaction,
  type LogFinding,
} from './event-index.ts';
import { prepareReads, prepareWrites } from './event-index-statements.ts';

const schemaVersion = 2;

const schema = `
  CREATE TABLE about (one INTEGER PRIMARY KEY CHECK (one = 1), schema INTEGER NOT NULL, inode TEXT NOT NULL, segment INTEGER NOT NULL,
    "offset" INTEGER NOT NULL, last_offset INTEGER, last_length INTEGER, last_digest TEXT);
  CREATE TABLE events (id BLOB PRIMARY KEY, segment INTEGER NOT NULL, "offset" INTEGER NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE keys (hash BLOB PRIMARY KEY, segment INTEGER NOT NULL, "offset" INTEGER NOT NULL, length INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE documents (workspace TEXT NOT NULL, path TEXT NOT NULL, event_id TEXT NOT NULL, timestamp TEXT NOT NULL, hash TEXT,
    adopted INTEGER NOT NULL, PRIMARY KEY (workspace, path)) WITHOUT ROWID;
  CREATE INDEX documents_by_path ON documents (path);
  CREATE TABLE names (folded TEXT NOT NULL, actual TEXT NOT NULL, PRIMARY KEY (folded, actual)) WITHOUT ROWID;
  CREATE TABLE segments (segment INTEGER PRIMARY KEY, size INTEGER NOT NULL);
  CREATE TABLE findings (kind TEXT NOT NULL, segment INTEGER NOT NULL, "offset" INTEGER NOT NULL, length INTEGER NOT NULL, detail TEXT NOT NULL,
    UNIQUE (kind, segment, "offset", detail));`;

/** See `FsPlatform.findIndex`. */
export const findSqliteEventIndex = (directory: string): EventIndex | null => {
  const path = newestDatabase(directory, prefix());
  if (path === null) return null;
  let writer: Database.Database | null = null;
  try {
    writer = openConnection(path);
    const about = writer.prepare('SELECT schema, inode FROM about').get() as { schema: unknown; inode: unknown } | undefined;
    if (about?.schema === schemaVersion && about.inode === inodeOf(path)) return wrap(writer, openConnection(path));
  } catch {
    // Whatever is wrong with it, a fresh one loses nothing.
  }
  writer?.close();
  return null;
};

/** See `FsPlatform.createIndex`. */
export const createSqliteEventIndex = (directory: string | null): EventIndex => {
  if (directory === null) return createAt(':memory:');
  const index = translatingDamage(() => createAt(newDatabasePath(directory, prefix())), damaged);
  removeOlderDatabases(directory, prefix());
  return index;
};

const prefix = (): string => `event-index-${machineMark()}`;

const damaged = (cause: unknown): Error => new EventIndexDamagedError('the event index cannot be used', { cause });

const createAt = (path: string): EventIndex => {
  const writer = createConnection(path);
  try {
    const create = writer.transaction(() => {
      writer.exec(schema);
      writer.prepare('INSERT INTO about (one, schema, inode, segment, "offset") VALUES (1, ?, ?, 0, 0)').run(schemaVersion, inodeOf(path));
    });
    create.immediate();
    // A second connection, so that readers never see what an append has not yet made durable. In memory nothing is appended.
    return wrap(writer, path === ':memory:' ? writer : openConnection(path));
  } catch (error) {
    writer.close();
    throw error;
  }
};

const wrap = (writer: Database.Database, reader: Database.Database): EventIndex => {
  const reads = prepareReads(reader);
  const writes = prepareWrites(writer);
  const guard = <T>(work: () => T): T => translatingDamage(work, damaged);
  const transaction: IndexTransaction = {
    position: () => guard(() => toPosition(writes.position.get() as PositionRow)),
    add: event => guard(() => writes.add(idKey(event.eventId), event)),
    seal: (segment, size) => guard(() => void writes.seal.run(segment, size)),
    moveTo: ({ segment, offset, last }) =>
      guard(() => void writes.move.run(segment, offset, last?.place.offset ?? null, last?.place.length ?? null, last?.digest ?? null)),
    note: ({ kind, place: { segment, offset, length }, detail }) =>
      guard(() => void writes.note.run(kind, segment, offset, length, detail)),
    commit: () => guard(() => void writes.commit.run()),
    rollback() {
      writes.forgetNames();
      try {
        if (writer.inTransaction) writes.rollback.run();
      } catch {
        // Said by the next use.
      }
    },
  };
  return {
    position: () => guard(() => toPosition(reads.position.get() as PositionRow)),
    findById: id => guard(() => (reads.event.get(idKey(id)) as EventPlace | undefined) ?? null),
    findByKey: hash => guard(() => (reads.key.get(hash) as EventPlace | undefined) ?? null),
    lastRecorded: (workspace, path) => guard(() => toRecorded(reads.document.get(workspace, path) as DocumentRow | undefined)),
    recordedAfter: (workspace, after, limit) =>
      guard(() => (reads.documents.all(workspace, after, limit) as DocumentRow[]).map(toRecordedAt)),
    spellings: folded => guard(() => reads.spellings.all(folded) as string[]),
    // '0' is the character after '/': the range holds exactly the paths below the directory.
    recordedBelow: (directory, after, limit) => guard(() => reads.below.all(`${directory}/`, `${directory}0`, after, limit) as string[]),
    sealedSegments: () =>
      guard(() => new Map((reads.segments.all() as { segment: number; size: number }[]).map(row => [row.segment, row.size]))),
    findings: () => guard(() => (reads.findings.all() as FindingRow[]).map(toFinding)),
    *eventIds() {
      for (const id of reads.ids.iterate() as Iterable<string | Buffer>) yield typeof id === 'string' ? id : toUuid(id.toString('hex'));
    },
    begin() {
      guard(() => void writes.begin.run());
      return transaction;
    },
    close() {
      reader.close();
      writer.close();
    },
  };
};

/** UUIDs as 16 bytes: version 7 ids then arrive in key order, and a million of them stay small. */
const idKey = (id: string): string | Uint8Array =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : id;

const toUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

interface FindingRow extends EventPlace {
  readonly kind: LogFinding['kind'];
  readonly detail: string;
}

const toFinding = ({ kind, detail, segment, offset, length }: FindingRow): LogFinding => ({
  kind,
  place: { segment, offset, length },
  detail,
});

interface PositionRow {
  readonly segment: number;
  readonly offset: number;
  readonly last_offset: number | null;
  readonly last_length: number | null;
  readonly last_digest: string | null;
}

const toPosition = ({ segment, offset, last_offset, last_length, last_digest }: PositionRow): IndexPosition => ({
  segment,
  offset,
  last:
    last_offset === null || last_length === null || last_digest === null
      ? null
      : { place: { segment, offset: last_offset, length: last_length }, digest: last_digest },
});

interface DocumentRow {
  readonly path: string;
  readonly event_id: string;
  readonly timestamp: string;
  readonly hash: string | null;
  readonly adopted: number;
}

const toRecordedAt = ({ path, event_id, timestamp, hash, adopted }: DocumentRow): LastRecorded & { readonly path: string } => ({
  path,
  event_id,
  timestamp,
  hash,
  adopted: adopted === 1,
});

const toRecorded = (row: DocumentRow | undefined): LastRecorded | null =>
  row === undefined ? null : { event_id: row.event_id, timestamp: row.timestamp, hash: row.hash, adopted: row.adopted === 1 };
