import type { Change } from './change.ts';

/** An `event` touches no document (§6.2): no hashes, no fields; its capability is `write:event`. */
export const eventChange: Change = {
  action: 'event',
  definition: null,
  primitiveId: 'ssss:event',
  primitiveVersion: 1,
  after: null,
  afterHash: null,
  proposed: null,
  changedFields: [],
};
