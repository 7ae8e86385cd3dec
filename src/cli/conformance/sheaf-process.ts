import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { packageRoot } from '../package-root.ts';

/** Starts `sheaf` as a user would, with machine state that belongs to the vault under test. */
export const spawnSheaf = (args: readonly string[], options: { readonly root: string }): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [`${packageRoot}/bin/sheaf.cjs`, ...args], {
    env: { ...process.env, SHEAF_STATE_DIR: `${options.root}.state` },
    stdio: ['pipe', 'pipe', 'pipe'],
  });

/** Runs `sheaf` to its end. */
export const runSheaf = async (
  args: readonly string[],
  options: { readonly root: string },
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> => {
  const child = spawnSheaf(args, options);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.end();
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { status, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') };
};
