import { v5, v7 } from 'uuid';

/** The reference implementation's namespace, so that logs written by several kernels stay free of collisions. */
const eventNamespace = '6f1c2d9e-4b7a-4e0c-9f35-a1d8c3b2e7f4';

/** The id of an `event` envelope's event: derived, so that concurrent duplicates collide on the log's uniqueness check (§8.1). */
export const eventIdForKey = (workspaceId: string, key: string): string => v5(JSON.stringify([workspaceId, key]), eventNamespace);

/** The id of any other event: time-ordered, and known before stage 9 so that the commit intent can name it (§6.3). */
export const newEventId = (now: Date): string => v7({ msecs: now.getTime() });
