// A reader beside writers that are stopped and killed: it reads every document over and over and follows the event feed, once through a vault
// opened as usual and once through one opened for reading only. It judges nothing; it says what it saw, one JSON line each.
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openVault } from '#open-vault';

const [root] = process.argv.slice(2);
const say = line => {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(1, bytes, done);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};

const watch = async (vault, how) => {
  const seen = new Set();
  let cursor;
  for (;;) {
    for await (const { path } of vault.list()) {
      const document = await vault.read(path);
      if (document === null || seen.has(`${path} ${document.hash}`)) continue;
      seen.add(`${path} ${document.hash}`);
      say({ how, path, kind: document.kind, hash: document.hash, text: document.text });
    }
    const ids = [];
    for await (const { event, cursor: next } of vault.events(cursor === undefined ? {} : { cursor })) {
      ids.push(event.event_id);
      cursor = next;
    }
    if (ids.length > 0) say({ how, ids });
    await pause(10);
  }
};

await Promise.all([watch(await openVault({ root }), 'writable'), watch(await openVault({ root, readOnly: true }), 'read-only')]);
