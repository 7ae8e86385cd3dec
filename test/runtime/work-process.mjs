// A daemon or a worker of its own process, which the test stops and kills as it likes. Says what it did, one JSON line each.
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openVault } from '#open-vault';

const [root, kind, name] = process.argv.slice(2);
const say = line => writeSync(1, `${JSON.stringify(line)}\n`);

const executor = {
  kind: 'assistant',
  unready: async () => null,
  async run({ vault, runPath, task, step }) {
    for (const part of ['first', 'second']) {
      await pause(Math.random() * 120);
      const effect = await vault.submit({
        type: 'event',
        path: `effects/${part}`,
        content: JSON.stringify({ task: task.path, run: runPath, name }),
      });
      if (!effect.success) return { kind: 'failed', reason: effect.message, retry: true };
      await step({ name: part, status: 'ok', text: name });
    }
    return { kind: 'succeeded', summary: name };
  },
};

const vault = await openVault({ root, executors: [executor] });
say({ ready: name });
const failed = error => say({ failure: String(error) });
await vault.work.runDaemon({
  workers: kind === 'worker' ? 1 : 0,
  ttlSeconds: 2,
  signal: new AbortController().signal,
  onRound: ({ fired }) => fired.length > 0 && say({ fired: fired.length }),
  onTurn: ({ taskPath, outcome }) => say({ task: taskPath, outcome }),
  onFailure: failed,
});
