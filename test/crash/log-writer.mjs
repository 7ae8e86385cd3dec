// Appends events to the log of a store and says which were acknowledged. With `unlocked` the lock of the log is granted to everybody, as by a file
// system that only pretends to lock.
import { writeSync } from 'node:fs';
import { sampleEvent } from '#adapter-contracts/testing';
import { nodePlatform, openFsStore } from '#stores/fs';

const [root, name, count, how] = process.argv.slice(2);
const paths = new Map();
const platform = {
  ...nodePlatform,
  fs: {
    ...nodePlatform.fs,
    open(path, ...rest) {
      const fd = nodePlatform.fs.open(path, ...rest);
      paths.set(fd, path);
      return fd;
    },
  },
  locks: {
    tryLock: (fd, offset) => paths.get(fd)?.endsWith('log.lock') || nodePlatform.locks.tryLock(fd, offset),
    unlock: (fd, offset) => nodePlatform.locks.unlock(fd, offset),
  },
};
const store = await openFsStore({ root, workspaceId: 'ws-acme', ...(how === 'unlocked' ? { platform } : {}) });
const acknowledged = [];
const failures = [];
for (let index = 0; index < Number(count); index += 1) {
  const event = sampleEvent({ idempotency_key: `${name}-${index}`, event_id: `${name}-${index}` });
  try {
    await store.events.append(event);
    acknowledged.push(event.event_id);
  } catch (error) {
    failures.push(String(error));
  }
}
await store.close();
writeSync(1, `${JSON.stringify({ acknowledged, failures })}\n`);
