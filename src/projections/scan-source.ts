import type { EventStore, Vfs } from '#adapter-contracts';

/** The files of a vault and what its log says of them. */
export interface ScanSource {
  readonly vfs: Vfs;
  readonly events: EventStore;
  readonly workspaceId: string;
}
