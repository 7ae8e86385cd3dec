import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, type Finding, ok, problem, warning } from './finding.ts';

const require = createRequire(import.meta.url);
const neededNode = [20, 20] as const;

/** What this machine must offer: the runtime, the two native modules, git, a sane clock, room on the disk. `directory` is where the vault is, or would be. */
export const checkMachine = async (directory: string): Promise<readonly Finding[]> => {
  // Ignored by git and by every listing, and on the same disk.
  const scratch = ['.ssss-intents', '.ssss'].map(name => join(directory, name)).find(existsSync) ?? directory;
  const checks = [
    attempt('machine', 'node', 'Install Node 20.20 or newer from https://nodejs.org.', checkNode),
    attempt('machine', 'sqlite', rebuildRemedy('better-sqlite3'), checkSqlite),
    attempt('machine', 'locks', lockRemedy, () => checkLocks(scratch)),
    attempt('machine', 'git', 'Install git; only `init --git` and a vault under version control need it.', checkGit),
    attempt('machine', 'clock', 'Set the system clock, best by network time.', checkClock),
    attempt('machine', 'disk', 'Free some space on this disk, or move the vault.', () => checkDisk(directory)),
  ];
  return (await Promise.all(checks)).flat();
};

const rebuildRemedy = (name: string): string =>
  `Rebuild it: \`npm rebuild ${name}\` (npm 12 and newer: allow its install script first). Without a prebuilt binary this needs python3, make and g++.`;
const lockRemedy =
  'Move the vault to a local disk: some network and synced folders do not carry locks. If the module itself does not load: `npm rebuild fs-native-extensions`.';

const checkNode = (): Finding => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const enough = major > neededNode[0] || (major === neededNode[0] && minor >= neededNode[1]);
  if (enough) return ok('machine', 'node', `Node ${process.versions.node}`);
  return problem('machine', 'node', `Node ${process.versions.node} is too old`, 'Install Node 20.20 or newer from https://nodejs.org.');
};

interface SqliteDatabase {
  prepare(sql: string): { get(): unknown };
  close(): void;
}

const checkSqlite = (): Finding => {
  const Database = require('better-sqlite3') as new (file: string) => SqliteDatabase;
  const database = new Database(':memory:');
  try {
    const row = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    return ok('machine', 'sqlite', `better-sqlite3 works (SQLite ${row.version})`);
  } finally {
    database.close();
  }
};

interface NativeLocks {
  tryLock(fd: number): boolean;
  unlock(fd: number): void;
}

// Two descriptors of one file: the second must be refused while the first holds the lock, and served once it is free.
const checkLocks = (directory: string): Finding => {
  const locks = require('fs-native-extensions') as NativeLocks;
  const place = mkdtempSync(join(directory, '.sheaf-doctor-'));
  try {
    const file = join(place, 'lock');
    const [one, two] = [openSync(file, 'w+'), openSync(file, 'r+')];
    try {
      const works = locks.tryLock(one) && !locks.tryLock(two);
      locks.unlock(one);
      if (works && locks.tryLock(two)) return ok('machine', 'locks', `file locks exclude each other in ${directory}`);
      return problem('machine', 'locks', `file locks do not exclude each other in ${directory}`, lockRemedy);
    } finally {
      closeSync(one);
      closeSync(two);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const checkGit = (): Finding => {
  try {
    return ok('machine', 'git', execFileSync('git', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim());
  } catch {
    return warning('machine', 'git', 'git was not found', 'Install git; only `init --git` and a vault under version control need it.');
  }
};

// The disk's own clock differs on network shares; then "what changed last" is judged wrongly.
const checkClock = (): Finding => {
  const place = mkdtempSync(join(tmpdir(), 'sheaf-doctor-'));
  try {
    const file = join(place, 'clock');
    writeFileSync(file, '');
    const skew = Math.abs(statSync(file).mtimeMs - Date.now()) / 1000;
    const now = new Date();
    if (now.getUTCFullYear() < 2026)
      return problem('machine', 'clock', `the clock says ${now.toISOString()}`, 'Set the system clock, best by network time.');
    if (skew > 5) return warning('machine', 'clock', `the disk's clock is ${Math.round(skew)} s off`, 'Set both clocks by network time.');
    return ok('machine', 'clock', now.toISOString());
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const checkDisk = (directory: string): Finding => {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const mebibytes = Math.round(free / 1024 / 1024);
  const remedy = 'Free some space on this disk, or move the vault.';
  if (mebibytes < 16) return problem('machine', 'disk', `only ${mebibytes} MiB free in ${directory}`, remedy);
  if (mebibytes < 256) return warning('machine', 'disk', `only ${mebibytes} MiB free in ${directory}`, remedy);
  return ok('machine', 'disk', `${mebibytes > 10_240 ? `${Math.round(mebibytes / 1024)} GiB` : `${mebibytes} MiB`} free`);
};
