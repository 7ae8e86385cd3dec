export {
  type EventIndex,
  EventIndexDamagedError,
  type EventPlace,
  type IndexedEvent,
  type IndexPosition,
  type IndexTransaction,
  type LogFinding,
  pathPrefixes,
} from './event-index.ts';
export { type FsPlatform, nodePlatform } from './fs-platform.ts';
export type { FsStore, FsStoreOptions } from './fs-store.ts';
export { openFsStore } from './open-fs-store.ts';
export { readPlainFiles } from './plain-files.ts';
export { type SharedRow, type SharedRows, SharedRowsDamagedError } from './shared-rows.ts';
export type { StoreNotice } from './store-notice.ts';
export { watchFiles } from './watch-files.ts';
