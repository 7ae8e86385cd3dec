// Makes better-sqlite3 loadable: takes it as installed, from a per-machine cache, or by building it once.
// Runs from `prepare`, so only for people who work on Sheaf; users of the published package get npm's own install step.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packageDir = join(root, 'node_modules', 'better-sqlite3');
if (!existsSync(packageDir)) process.exit(0);

const lockFile = join(root, 'package-lock.json');
const locked = existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages['node_modules/better-sqlite3'] : undefined;
const version = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')).version;
const libc = process.report?.getReport?.().header.glibcVersionRuntime ? 'glibc' : 'other';
const key = createHash('sha256')
  .update(locked?.integrity ?? version)
  .digest('hex')
  .slice(0, 16);
const name = `better-sqlite3-${version}-abi${process.versions.modules}-${process.platform}-${process.arch}-${libc}-${key}.node`;
const cached = join(process.env.SHEAF_NATIVE_CACHE ?? join(homedir(), '.cache', 'sheaf-native'), name);
const built = join(packageDir, 'build', 'Release', 'better_sqlite3.node');

const probe = "const D=require('better-sqlite3');new D(':memory:').prepare('select 1').get()";
const loads = () => spawnSync(process.execPath, ['-e', probe], { cwd: root, stdio: 'ignore' }).status === 0;
const keep = () => {
  if (existsSync(cached)) return;
  mkdirSync(dirname(cached), { recursive: true });
  copyFileSync(built, `${cached}.${process.pid}`);
  renameSync(`${cached}.${process.pid}`, cached); // whole or absent, for a second checkout that reads it now
};

if (loads()) {
  keep();
  process.exit(0);
}
if (existsSync(cached)) {
  mkdirSync(dirname(built), { recursive: true });
  copyFileSync(cached, built);
  if (loads()) {
    console.log('native: better-sqlite3 taken from the cache');
    process.exit(0);
  }
}
const logPath = join(tmpdir(), `sheaf-native-${process.pid}.log`);
const log = openSync(logPath, 'w');
console.log(`native: getting better-sqlite3 ready (a build takes about 2 minutes, once per machine; output in ${logPath})`);
try {
  execFileSync('npm', ['run', 'install', '--silent', '--ignore-scripts=false'], { cwd: packageDir, stdio: ['ignore', log, log] });
} catch {
  console.error(`native: building better-sqlite3 failed; it needs python3, make and g++ (see ${logPath})`);
  process.exit(1);
}
if (!loads()) {
  console.error(`native: better-sqlite3 was built but does not load (see ${logPath})`);
  process.exit(1);
}
keep();
console.log('native: built and kept in the cache');
