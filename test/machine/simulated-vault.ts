// The whole Operation Contract over a simulated disk, for tests that make the disk fail.
import { type FileSystem, systemClock } from '#adapter-contracts';
import { createMemoryFileLocks, type MemoryFileSystem } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { createKernel, type Kernel } from '#kernel';
import { createAuthorizer, defaultPolicy } from '#policy';
import { composeRegistry } from '#registry';
import { type FsStore, nodePlatform, openFsStore } from '#stores/fs';
import { createMemoryStore } from '#stores/memory';
import { checkHistory, type History } from '../crash/history.ts';

const root = '/vault';
const registry = composeRegistry({ extensions: [] });
const authorizer = createAuthorizer({ policy: defaultPolicy });

export interface SimulatedVault extends Pick<Kernel, 'execute' | 'recover'> {
  readonly events: FsStore['events'];
  /** The disk failed while the store was opened, so that it opened for reading only. */
  readonly readOnly: boolean;
  /** Ends it as its process would end. */
  close(): Promise<void>;
}

export const makeRoot = (disk: MemoryFileSystem): void => {
  disk.fileSystem.makeDirectory(root);
  disk.fileSystem.syncDirectorySync('/');
};

/** The index, the leases and the remembered answers lie beside the disk, in memory: what fails here is the disk under documents, log and journal. */
export const openSimulatedVault = async (disk: MemoryFileSystem, fileSystem: FileSystem = disk.fileSystem): Promise<SimulatedVault> => {
  const locks = createMemoryFileLocks(disk).ownedBy('the only process');
  const platform = { ...nodePlatform, fs: fileSystem, locks, findIndex: () => null, createIndex: () => nodePlatform.createIndex(null) };
  const store = await openFsStore({
    root,
    workspaceId: 'ws-crash',
    platform,
    lockTimeoutMs: 200,
    segmentBytes: 20_000,
  });
  const { idempotency, leases } = createMemoryStore({ clock: systemClock });
  const kernel = createKernel({
    workspaces: { 'ws-crash': { vfs: store.vfs, events: store.events, idempotency, leases } },
    registry,
    authorizer,
  });
  const readOnly = store.notices().some(({ kind }) => kind === 'read_only');
  return {
    readOnly,
    events: store.events,
    execute: (envelope, context) => kernel.execute(envelope, context),
    recover: () => kernel.recover(),
    close: () => store.close(),
  };
};

/** What must hold, looked at past the failing disk. */
export const checkSimulated = async (history: History, disk: MemoryFileSystem, { events }: SimulatedVault): Promise<void> => {
  const log = [];
  for await (const { event } of events.replay()) log.push(event);
  checkHistory(history, log, path => {
    const file = `${root}/${path}`;
    return disk.fileSystem.stat(file) === null ? null : hashContent(disk.fileSystem.readFile(file));
  });
};
