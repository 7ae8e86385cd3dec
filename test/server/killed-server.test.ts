import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { initVault, openVault } from '#open-vault';
import { type Answer, rule } from './served-vault.ts';

const program = resolve('bin/sheaf.cjs');
const writers = 64;
const each = 12;

/** `sheaf serve` as a supervisor would run it, on the port it had before. */
const startServe = async (root: string, port: number): Promise<{ readonly child: ChildProcess; readonly port: number }> => {
  const args = ['serve', '--vault', root, '--json', '--quiet', '--no-open', '--port', String(port)];
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, SHEAF_STATE_DIR: `${root}.state` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => ['{}'])])) as [string];
  const { url } = JSON.parse(line) as { url?: string };
  if (url === undefined) throw new Error('sheaf serve ended before it was ready');
  return { child, port: Number(new URL(url).port) };
};

const envelopeOf = (writer: number, index: number) => ({
  type: 'operation',
  workspace_id: 'ws-a',
  idempotency_key: `writer-${writer}-${index}`,
  path: `rules/w${writer}-${index % 4}.md`,
  content: rule(`Writer ${writer}, version ${index}.`),
});

test('64 writers lose nothing when the server is killed under them again and again, and they retry', { timeout: 240_000 }, async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-killed-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { root } = await initVault({ root: join(directory, 'vault'), workspaceId: 'ws-a' });
  const token = await admitWriters(root);
  let server = await startServe(root, 0);
  const { port } = server;
  onTestFinished(() => void server.child.kill('SIGKILL'));

  const acknowledged = new Map<string, string>();
  let interrupted = 0;
  const submit = async (envelope: object): Promise<Answer> => {
    for (;;) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/v1/envelopes`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(envelope),
        });
        const body = (await answer.json()) as Answer;
        if (body.error?.code !== 'unavailable') return body;
      } catch {
        // The connection broke: whether it was committed is not known, and the same request under the same key finds out.
        interrupted += 1;
      }
      await pause(20);
    }
  };
  const write = async (writer: number): Promise<void> => {
    for (let index = 0; index < each; index += 1) {
      const envelope = envelopeOf(writer, index);
      const answer = await submit(envelope);
      if (answer.event_id === undefined) throw new Error(`writer ${writer} was refused: ${JSON.stringify(answer.error)}`);
      acknowledged.set(envelope.idempotency_key, answer.event_id);
    }
  };
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  let kills = 0;
  for (let goal = 80; goal < writers * each; goal += 200) {
    while (acknowledged.size < goal) await Promise.race([pause(5), writing]);
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    kills += 1;
    server = await startServe(root, port);
  }
  await writing;
  server.child.kill('SIGTERM');
  const [status] = (await once(server.child, 'exit')) as [number];
  expect(status).toBe(0);
  expect(kills).toBeGreaterThanOrEqual(3);
  expect(interrupted).toBeGreaterThan(0);

  const vault = await openVault({ root, stateDir: `${root}.state` });
  const events = new Map<string, string>();
  let count = 0;
  for await (const { event } of vault.events()) {
    count += 1;
    events.set(event.idempotency_key, event.event_id);
  }
  expect(count).toBe(writers * each);
  expect([...acknowledged].filter(([key, id]) => events.get(key) !== id)).toEqual([]);
  for (let writer = 0; writer < writers; writer += 1) {
    for (let last = each - 4; last < each; last += 1)
      expect((await vault.read(`rules/w${writer}-${last % 4}.md`))?.text).toBe(rule(`Writer ${writer}, version ${last}.`));
  }
  expect((await vault.status()).rows).toEqual([]);
  await vault.close();
});

/** The token of a principal who may write, as the command line gives it. */
const admitWriters = async (root: string): Promise<string> => {
  const args = ['principal', 'add', 'agent:writers', '--kind', 'agent', '--cap', 'ssss:rule:*', '--vault', root, '--json', '--quiet'];
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, SHEAF_STATE_DIR: `${root}.state` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return (JSON.parse(Buffer.concat(chunks).toString('utf8')) as { token: string }).token;
};
