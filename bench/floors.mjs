// The least that any honest implementation of §6.3 must do on this disk: the same bytes, the same three barriers, no validation, locks, index or checks.
import { closeSync, fdatasync, fdatasyncSync, fsync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const fsyncAsync = promisify(fsync);
const fdatasyncAsync = promisify(fdatasync);
const eventLine = 'e'.repeat(900);

/** Opens a floor in `root`: a pre-allocated journal, an event log, a directory for documents. */
export const openFloor = root => {
  mkdirSync(join(root, 'documents'), { recursive: true });
  const journal = openSync(join(root, 'journal'), 'w+');
  writeSync(journal, Buffer.alloc(4 << 20), 0, 4 << 20, 0);
  fsyncSync(journal);
  const log = openSync(join(root, 'log.jsonl'), 'a');
  let next = 0;

  const writeTemporary = content => {
    const name = join(root, `tmp-${next++}`);
    const fd = openSync(name, 'wx');
    writeSync(fd, content);
    return { name, fd };
  };

  return {
    /** One document: journal, document, event, each durable before the next. */
    commitOne(path, content) {
      writeSync(journal, content, 0);
      fdatasyncSync(journal);
      const temporary = writeTemporary(content);
      fsyncSync(temporary.fd);
      closeSync(temporary.fd);
      const directory = join(root, 'documents');
      renameSync(temporary.name, join(directory, path));
      const fd = openSync(directory, 'r');
      fsyncSync(fd);
      closeSync(fd);
      writeSync(log, `${eventLine}\n`);
      fdatasyncSync(log);
    },
    /** Many documents behind the same three barriers. */
    async commitBatch(documents) {
      writeSync(journal, documents.map(([, content]) => content).join(''), 0);
      await fdatasyncAsync(journal);
      const temporaries = documents.map(([path, content]) => ({ path, ...writeTemporary(content) }));
      await Promise.all(temporaries.map(({ fd }) => fsyncAsync(fd)));
      const directory = join(root, 'documents');
      for (const { fd, name, path } of temporaries) {
        closeSync(fd);
        renameSync(name, join(directory, path));
      }
      const fd = openSync(directory, 'r');
      await fsyncAsync(fd);
      closeSync(fd);
      writeSync(log, `${eventLine}\n`.repeat(documents.length));
      await fdatasyncAsync(log);
    },
    close() {
      closeSync(journal);
      closeSync(log);
    },
  };
};
