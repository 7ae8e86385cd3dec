import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { inFreshDirectory, openOurs, rule } from './bench-vault.mjs';
import { openFloor } from './floors.mjs';
import { paired, timed } from './measure.mjs';

/** Runs `commit` for `rounds` new documents in each of `callers` callers at once; milliseconds per document. */
const perDocument = async (commit, callers, rounds) => {
  const each = async () => {
    for (let i = 0; i < rounds; i++) await commit(rule());
  };
  return (await timed(() => Promise.all(Array.from({ length: callers }, each)))) / (callers * rounds);
};

/** Ours in a fresh vault against `openOther(directory)`, which gives `{ run, close }`; `run` returns milliseconds per document. */
const against = ({ base, repetitions, callers, rounds }, openOther) =>
  inFreshDirectory(base, async root => {
    for (const side of ['ours', 'other']) mkdirSync(join(root, side));
    const ours = await openOurs(join(root, 'ours'));
    const other = openOther(join(root, 'other'));
    try {
      // A server runs for days; the first thousand commits of a process are slower, because its code is not compiled yet.
      await perDocument(ours.commit, 64, 40);
      return await paired({ repetitions, ours: () => perDocument(ours.commit, callers, rounds), other: other.run });
    } finally {
      await ours.close();
      other.close();
    }
  });

/** One caller, the whole pipeline, against the three barriers in series. */
export const commitSerial = ({ base, repetitions, size = 60 }) =>
  against({ base, repetitions, callers: 1, rounds: size }, directory => {
    const floor = openFloor(directory);
    return { run: () => perDocument(({ name, content }) => floor.commitOne(name, content), 1, size), close: floor.close };
  });

/** `callers` callers at once, against the same documents behind the same three barriers. */
export const commitGroup = ({ base, repetitions, callers, rounds = 4 }) =>
  against({ base, repetitions, callers, rounds }, directory => {
    const floor = openFloor(directory);
    const run = async () =>
      (await timed(async () => {
        for (let i = 0; i < rounds; i++) {
          const documents = Array.from({ length: callers }, () => rule());
          await floor.commitBatch(documents.map(({ name, content }) => [name, content]));
        }
      })) /
      (callers * rounds);
    return { run, close: floor.close };
  });

/** One caller against `git commit` per change, with git's defaults. */
export const versusGit = ({ base, repetitions, size = 10 }) =>
  against({ base, repetitions, callers: 1, rounds: size }, directory => {
    const git = (...args) =>
      execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', ...args], {
        cwd: directory,
        stdio: 'ignore',
      });
    git('init', '-q');
    const commit = ({ name, content }) => {
      writeFileSync(join(directory, name), content);
      git('add', name);
      git('commit', '-q', '-m', name);
    };
    return { run: () => perDocument(commit, 1, size), close: () => undefined };
  });

/** Against a table that holds the documents, one transaction each with `synchronous=FULL`: as durable, but no files. */
export const versusSqlite = ({ base, repetitions, callers, rounds }) =>
  against({ base, repetitions, callers, rounds }, directory => {
    const database = new Database(join(directory, 'documents.sqlite'));
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.exec('CREATE TABLE documents (path TEXT PRIMARY KEY, content TEXT); CREATE TABLE events (id INTEGER PRIMARY KEY, event TEXT)');
    const put = database.prepare('INSERT OR REPLACE INTO documents (path, content) VALUES (?, ?)');
    const log = database.prepare('INSERT INTO events (event) VALUES (?)');
    const event = 'e'.repeat(900);
    const commit = database.transaction(({ path, content }) => {
      put.run(path, content);
      log.run(event);
    });
    return { run: () => perDocument(document => commit.immediate(document), callers, rounds), close: () => database.close() };
  });

/** Against what most agents do: write a temporary file and rename it, with no sync, no log, no check. A crash loses or tears it. */
export const versusUnsafe = ({ base, repetitions, callers, rounds = 4 }) =>
  against({ base, repetitions, callers, rounds }, directory => {
    let next = 0;
    const write = ({ name, content }) => {
      const temporary = join(directory, `tmp-${next++}`);
      const fd = openSync(temporary, 'wx');
      writeSync(fd, content);
      closeSync(fd);
      renameSync(temporary, join(directory, name));
    };
    return { run: () => perDocument(write, callers, rounds), close: () => undefined };
  });
