export { collectContents, type HistoryCollection } from './collect-contents.ts';
export type { ContentStore } from './content-store.ts';
export { type DocumentVersion, documentVersion } from './document-version.ts';
export { createFsContentStore } from './fs-content-store.ts';
export { createHistoryKeeper, type GitHistoryControl, type HistoryKeeper } from './history-keeper.ts';
export { noProjections } from './keep-contents.ts';
export { createMemoryContentStore } from './memory-content-store.ts';
export { mostVersions, readVersions, type VersionHistory } from './read-versions.ts';
