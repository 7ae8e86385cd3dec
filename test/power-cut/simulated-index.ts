import type { LastRecorded } from '#adapter-contracts';
import {
  type EventIndex,
  type EventPlace,
  type IndexedEvent,
  type IndexPosition,
  type IndexTransaction,
  type LogFinding,
  pathPrefixes,
} from '#stores/fs';

export type IndexChange =
  | { readonly kind: 'add'; readonly event: IndexedEvent }
  | { readonly kind: 'seal'; readonly segment: number; readonly size: number }
  | { readonly kind: 'move'; readonly position: IndexPosition }
  | { readonly kind: 'note'; readonly finding: LogFinding };

/** The event index's database as all processes share it: what was committed, in order, and what follows from it. */
export interface SimulatedIndex {
  /** Its transactions so far; a power cut keeps the first few of them. */
  readonly transactions: readonly (readonly IndexChange[])[];
  /** Opens it; `calling` runs before everything that reaches the disk, and may throw. */
  open(calling: () => void): EventIndex;
  /** As the operating system ends the transaction of a process that died. */
  rollBack(index: EventIndex): void;
}

interface Tables {
  position: IndexPosition;
  readonly events: Map<string, EventPlace>;
  readonly keys: Map<string, EventPlace>;
  readonly documents: Map<string, LastRecorded & { readonly workspaceId: string; readonly path: string }>;
  readonly names: Map<string, Set<string>>;
  readonly segments: Map<number, number>;
  readonly findings: Map<string, LogFinding>;
}

const keyText = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');
const inByteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
/** Rounds an object through the columns of a table: what was not stored is not given back. */
const recordedColumns = ({ event_id, timestamp, hash, adopted }: LastRecorded): LastRecorded => ({ event_id, timestamp, hash, adopted });

const emptyTables = (): Tables => ({
  position: { segment: 0, offset: 0, last: null },
  events: new Map(),
  keys: new Map(),
  documents: new Map(),
  names: new Map(),
  segments: new Map(),
  findings: new Map(),
});

const addEvent = (tables: Tables, { eventId, keyHash, place, recorded }: IndexedEvent): void => {
  const isNew = !tables.events.has(eventId);
  if (isNew) tables.events.set(eventId, place);
  if (!tables.keys.has(keyText(keyHash))) tables.keys.set(keyText(keyHash), place);
  if (!isNew || recorded === null) return;
  tables.documents.set(`${recorded.workspaceId}\0${recorded.path}`, recorded);
  for (const { folded, actual } of pathPrefixes(recorded.path)) {
    tables.names.set(folded, (tables.names.get(folded) ?? new Set()).add(actual));
  }
};

const keepFinding = ({ findings }: Tables, finding: LogFinding): void => {
  const key = JSON.stringify([finding.kind, finding.place.segment, finding.place.offset, finding.detail]);
  if (!findings.has(key)) findings.set(key, finding);
};

const apply = (tables: Tables, change: IndexChange): void => {
  if (change.kind === 'add') addEvent(tables, change.event);
  else if (change.kind === 'seal') tables.segments.set(change.segment, change.size);
  else if (change.kind === 'move') tables.position = change.position;
  else keepFinding(tables, change.finding);
};

const readsOf = (tables: Tables): Omit<EventIndex, 'begin' | 'close'> => ({
  position: () => tables.position,
  findById: id => tables.events.get(id) ?? null,
  findByKey: hash => tables.keys.get(keyText(hash)) ?? null,
  lastRecorded(workspaceId, path) {
    const found = tables.documents.get(`${workspaceId}\0${path}`);
    return found === undefined ? null : recordedColumns(found);
  },
  recordedAfter: (workspaceId, after, limit) =>
    [...tables.documents.values()]
      .filter(row => row.workspaceId === workspaceId && inByteOrder(row.path, after) > 0)
      .sort((a, b) => inByteOrder(a.path, b.path))
      .slice(0, limit)
      .map(row => ({ ...recordedColumns(row), path: row.path })),
  spellings: folded => [...(tables.names.get(folded) ?? [])].sort(inByteOrder),
  recordedBelow: (directory, after, limit) =>
    [...new Set([...tables.documents.values()].map(({ path }) => path))]
      .filter(path => path.startsWith(`${directory}/`) && inByteOrder(path, after) > 0)
      .sort(inByteOrder)
      .slice(0, limit),
  sealedSegments: () => new Map(tables.segments),
  findings: () => [...tables.findings.values()],
  eventIds: () => [...tables.events.keys()],
});

/** An event index in memory that answers as the one on disk does, from the transactions that are left of an earlier one. */
export const createSimulatedIndex = (kept: readonly (readonly IndexChange[])[] = []): SimulatedIndex => {
  const transactions = [...kept];
  const tables = emptyTables();
  for (const transaction of transactions) for (const change of transaction) apply(tables, change);
  const reads = readsOf(tables);
  let writer: EventIndex | null = null;
  let staged: IndexChange[] = [];
  const end = (): void => {
    writer = null;
    staged = [];
  };
  const added = (matches: (event: IndexedEvent) => boolean): EventPlace | null => {
    const found = staged.find(change => change.kind === 'add' && matches(change.event));
    return found?.kind === 'add' ? found.event.place : null;
  };
  const findStaged = (id: string): EventPlace | null => reads.findById(id) ?? added(({ eventId }) => eventId === id);
  const transactionOf = (owner: () => EventIndex, calling: () => void): IndexTransaction => {
    const mustRun = (): void => {
      if (writer !== owner()) throw new Error('no transaction is running');
    };
    return {
      position: () => staged.reduce((at, change) => (change.kind === 'move' ? change.position : at), reads.position()),
      add(event) {
        mustRun();
        const isNew = findStaged(event.eventId) === null;
        staged.push({ kind: 'add', event });
        return isNew;
      },
      seal: (segment, size) => void staged.push({ kind: 'seal', segment, size }),
      moveTo: position => void staged.push({ kind: 'move', position }),
      note: finding => void staged.push({ kind: 'note', finding }),
      commit() {
        mustRun();
        calling();
        transactions.push(staged);
        for (const change of staged) apply(tables, change);
        end();
      },
      rollback() {
        if (writer === owner()) end();
      },
    };
  };
  return {
    transactions,
    open(calling) {
      let closed = false;
      const mustBeOpen = (): void => {
        if (closed) throw new TypeError('The database connection is not open');
      };
      const index: EventIndex = {
        ...reads,
        begin() {
          mustBeOpen();
          if (writer !== null) throw new Error('SQLITE_BUSY: database is locked');
          writer = index;
          return transaction;
        },
        close() {
          closed = true;
          if (writer === index) end();
        },
      };
      const transaction = transactionOf(() => index, calling);
      return index;
    },
    rollBack(index) {
      if (writer === index) end();
    },
  };
};
