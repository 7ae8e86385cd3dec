import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

const freePort = (): Promise<number> =>
  new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** Makes `sheaf` a command of this build for everything that runs with the environment it gives; the machine state lies in the directory, too. */
export const environmentIn = (directory: string): NodeJS.ProcessEnv => {
  const shim = join(directory, 'sheaf');
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${resolve('bin/sheaf.cjs')}" "$@"\n`);
  chmodSync(shim, 0o755);
  // The test runner's own flags are not for the programs of a page.
  return { ...process.env, PATH: `${directory}:${process.env.PATH}`, SHEAF_STATE_DIR: join(directory, 'state'), NODE_OPTIONS: '' };
};

/** Runs the commands of a page in one shell that ends at the first failure. The default port may be in use here, so another stands in its place. */
export const runCommands = async (commands: string, directory: string) => {
  const script = commands.replaceAll('4177', String(await freePort()));
  return spawnSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: directory, env: environmentIn(directory), encoding: 'utf8' });
};
