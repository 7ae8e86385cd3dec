import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { initVault, openVault } from '#open-vault';
import { inFreshDirectory } from './bench-vault.mjs';
import { paired, timed } from './measure.mjs';

const script = fileURLToPath(new URL('commit-process.mjs', import.meta.url));

const said = (child, word) =>
  new Promise((resolve, reject) => {
    const onExit = code => reject(new Error(`a writer ended with code ${code}`));
    const onMessage = message => {
      if (message !== word) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve();
    };
    child.on('message', onMessage);
    child.once('exit', onExit);
  });

const startWriters = async (root, count, callers, rounds) => {
  await initVault({ root, workspaceId: 'ws-bench' });
  const children = Array.from({ length: count }, (_, index) => fork(script, [root, `p${index}`, callers, rounds]));
  await Promise.all(children.map(child => said(child, 'ready')));
  let committed = 0;
  return {
    /** Milliseconds per document, over all processes. */
    async run() {
      const elapsed = await timed(() =>
        Promise.all(
          children.map(child => {
            const done = said(child, 'done');
            child.send('go');
            return done;
          }),
        ),
      );
      committed += count * callers * rounds;
      return elapsed / (count * callers * rounds);
    },
    /** Ends the writers and counts what the log holds. */
    async close() {
      await Promise.all(
        children.map(child => {
          const gone = new Promise(resolve => child.once('exit', resolve));
          child.send('close');
          return gone;
        }),
      );
      const vault = await openVault({ root });
      let events = 0;
      for await (const _ of vault.events()) events += 1;
      await vault.close();
      if (events !== committed) throw new Error(`${committed} commits were acknowledged and the log holds ${events} events`);
    },
  };
};

/** Documents per second of `count` processes against one; the ratio is how many times as much. Throws when anything is lost. */
export const commitProcesses = ({ base, repetitions, count, callers = 64, rounds = 2 }) =>
  inFreshDirectory(base, async root => {
    for (const side of ['many', 'one']) mkdirSync(join(root, side));
    const many = await startWriters(join(root, 'many'), count, callers, rounds);
    const one = await startWriters(join(root, 'one'), 1, callers, rounds);
    const measured = await paired({ repetitions, ours: many.run, other: one.run, ratioOf: (ours, other) => other / ours });
    await many.close();
    await one.close();
    return measured;
  });
