// A writer that halts itself at one chosen point of one commit. It says that it is about to, sends itself the signal, and when it is continued
// says how the commit ended. The points lie in calls of node:fs and of the adapters, which it wraps from outside: nothing in Sheaf knows of it.
import fs, { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { openVault } from '#open-vault';

const [root, point, signal, lockTimeoutMs, first, second] = process.argv.slice(2);
const say = line => writeSync(1, `${JSON.stringify(line)}\n`);
let armed = false;

const reach = name => {
  if (!armed || name !== point) return;
  armed = false;
  say({ halting: point });
  process.kill(process.pid, signal);
};

const paths = new Map();
const fileOf = fd => paths.get(fd) ?? '';
const wrap = (name, { before = () => undefined, after = () => undefined }) => {
  const call = fs[name];
  fs[name] = (...args) => {
    before(...args);
    const result = call(...args);
    after(result, ...args);
    return result;
  };
};
// By its name alone: the directory may be named by its descriptor.
const isTarget = path => String(path).endsWith('/target.md');
const isJournal = fd => fileOf(fd).endsWith('.journal');
const isLog = fd => fileOf(fd).endsWith('.jsonl');
wrap('openSync', { after: (fd, path) => paths.set(fd, String(path)) });
wrap('writeSync', {
  before(fd) {
    if (isJournal(fd)) reach('before the intent is written');
    if (isLog(fd)) reach('before the event is written');
  },
  after: (_, fd) => isLog(fd) && reach('after the event is written, before it is synced'),
});
const synced = fd => {
  if (isJournal(fd)) reach('after the intent is durable');
  if (isLog(fd)) reach('after the event is durable');
};
wrap('fdatasyncSync', { after: (_, fd) => synced(fd) });
const { fdatasync } = fs;
fs.fdatasync = (fd, done) =>
  fdatasync(fd, error => {
    synced(fd);
    done(error);
  });
wrap('renameSync', {
  before: (_, to) => isTarget(to) && reach('before the document is renamed'),
  after: (_, _from, to) => isTarget(to) && reach('after the document is renamed, before its name is durable'),
});
syncBuiltinESMExports();

const vault = await openVault({
  root,
  lockTimeoutMs: Number(lockTimeoutMs),
  wrapAdapters: adapters => ({
    ...adapters,
    vfs: {
      ...adapters.vfs,
      intentJournal() {
        const journal = adapters.vfs.intentJournal();
        const run = (...args) => {
          reach('before the path is locked');
          return journal.run(...args);
        };
        return { ...journal, run };
      },
    },
    events: {
      ...adapters.events,
      async append(event) {
        reach('between stage 9 and stage 10');
        await adapters.events.append(event);
        reach('after stage 10');
      },
    },
    idempotency: {
      ...adapters.idempotency,
      async put(...args) {
        reach('before the key is recorded');
        await adapters.idempotency.put(...args);
        reach('before the answer is given');
      },
    },
  }),
});
const principal = {
  id: 'agent:halting',
  kind: 'agent',
  workspaceIds: ['ws-crash'],
  capabilities: ['*:*'],
  authentication: { provider: 'test', assurance: 'verified' },
};
// The first commit makes journal, log and directories, so that the second is nothing but a commit.
say({ response: await vault.execute(JSON.parse(first), { principal }) });
armed = true;
say({ response: await vault.execute(JSON.parse(second), { principal }) });
say({ missed: armed });
await vault.close();
