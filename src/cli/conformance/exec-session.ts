import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Json, JsonMap } from './json.ts';
import { spawnSheaf } from './sheaf-process.ts';

/** One running `sheaf exec`: a line in, a response out. */
export interface ExecSession {
  send(line: string): Promise<JsonMap>;
  end(): Promise<{ readonly status: number | null; readonly stderr: string }>;
}

/** Far beyond what a commit takes on a busy machine; a missing answer must fail, not hang. */
const patienceMs = 60_000;

/** Starts `sheaf exec` for one vault as one principal; the process stays until `end`. */
export const startExec = async (root: string, principal: Json): Promise<ExecSession> => {
  const directory = await mkdtemp(join(tmpdir(), 'sheaf-principal-'));
  const file = join(directory, 'principal.json');
  await writeFile(file, JSON.stringify(principal));
  const child = spawnSheaf(['exec', '--vault', root, '--json', '--principal', file, '--trusted-caller'], { root });
  const waiting: { resolve(value: JsonMap): void; reject(error: Error): void }[] = [];
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', line => waiting.shift()?.resolve(JSON.parse(line) as JsonMap));
  const stderr = (): string => Buffer.concat(errors).toString('utf8');
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', status => {
      for (const each of waiting.splice(0)) each.reject(new Error(`sheaf exec ended with ${status} and gave no answer: ${stderr()}`));
      resolve(status);
    });
  });
  return {
    send: line =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`sheaf exec gave no answer to ${line.slice(0, 200)}: ${stderr()}`)), patienceMs);
        waiting.push({
          resolve: value => {
            clearTimeout(late);
            resolve(value);
          },
          reject,
        });
        child.stdin.write(`${line}\n`);
      }),
    end: async () => {
      child.stdin.end();
      const status = await ended;
      await rm(directory, { recursive: true, force: true });
      return { status, stderr: stderr() };
    },
  };
};
