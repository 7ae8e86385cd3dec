import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openInBrowser } from '../../src/cli/serve/open-in-browser.ts';
import { openWorkshop, type Workshop } from './sheaf.ts';

interface Ready {
  readonly url: string;
  readonly link: string;
  readonly pid: number;
}

const startServe = async ({ vault, directory }: Workshop): Promise<{ child: ChildProcess; ready: Ready; log: () => string }> => {
  const child = spawn(process.execPath, [resolve('bin/sheaf.cjs'), 'serve', '--vault', vault, '--json', '--port', '0'], {
    env: { ...process.env, SHEAF_STATE_DIR: join(directory, 'state') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const log: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, ready: JSON.parse(line) as Ready, log: () => log.join('') };
};

const post = (url: string, body: object, token?: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });

test('two agents write to one served vault, the log tells them apart, and SIGTERM ends the server with 0', async () => {
  const workshop = openWorkshop();
  await workshop.sheaf(['init', 'vault', '--workspace', 'ws-a']);
  const tokens: string[] = [];
  for (const name of ['one', 'two']) {
    const { stdout } = await workshop.inVault('principal', 'add', `agent:${name}`, '--kind', 'agent', '--cap', 'write:event', '--json');
    tokens.push((JSON.parse(stdout) as { token: string }).token);
  }
  const { child, ready, log } = await startServe(workshop);
  for (const [index, token] of tokens.entries()) {
    const envelope = { type: 'event', workspace_id: 'ws-a', idempotency_key: `e${index}`, path: 'shop/door', content: '{}' };
    expect((await post(`${ready.url}/v1/envelopes`, envelope, token)).status).toBe(201);
    expect((await post(`${ready.url}/v1/envelopes`, envelope, token)).status).toBe(200);
  }
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  const events = (await workshop.inVault('log', '--json')).stdout
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { principal: { id: string } }).principal.id);
  expect(events).toEqual(['agent:one', 'agent:two']);
  for (const secret of [...tokens, workshop.directory]) expect(log()).not.toContain(secret);
});

test('the printed link opens a session once; Ctrl-C ends the server with 130', async () => {
  const workshop = openWorkshop();
  await workshop.sheaf(['init', 'vault']);
  const { child, ready } = await startServe(workshop);
  expect(ready).toMatchObject({ pid: child.pid, link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#k=/) });
  const key = ready.link.split('#k=')[1] ?? '';
  expect((await post(`${ready.url}/v1/session`, { key })).status).toBe(201);
  expect((await post(`${ready.url}/v1/session`, { key })).status).toBe(401);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});

test('beyond this machine, half a TLS pair, and what is no origin are wrong usage', async () => {
  const workshop = openWorkshop();
  await workshop.sheaf(['init', 'vault']);
  for (const [args, reason] of [
    [['--host', '0.0.0.0'], '--insecure'],
    [['--tls-cert', 'chain.pem'], 'belong together'],
    [['--origin', 'sheaf.example.org'], 'is no origin'],
    [['--origin', 'https://sheaf.example.org/path'], 'is no origin'],
    [['--port', '70000'], 'a whole number from 1 to 65535, or 0'],
  ] as const) {
    const { status, stderr } = await workshop.inVault('serve', '--no-open', ...args);
    expect([status, stderr], args.join(' ')).toEqual([2, expect.stringContaining(reason)]);
  }
});

test('a port that is taken is said with its code', async () => {
  const workshop = openWorkshop();
  await workshop.sheaf(['init', 'vault']);
  const stranger = createServer().listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as { port: number };
  const { status, stderr } = await workshop.inVault('serve', '--no-open', '--port', String(port));
  expect([status, stderr]).toEqual([1, expect.stringMatching(/EADDRINUSE.*\[cannot_listen\]/s)]);
});

test.skipIf(process.platform !== 'linux')(
  'the browser is opened on a private file that leads on to the link, and goes away with the server',
  async () => {
    const { directory } = openWorkshop();
    const told = join(directory, 'told');
    // Stands for the desktop's opener; the rename tells that the argument is whole.
    writeFileSync(join(directory, 'xdg-open'), `#!/bin/sh\nprintf %s "$*" > '${told}.part'\nmv '${told}.part' '${told}'\n`, {
      mode: 0o755,
    });
    vi.stubEnv('PATH', `${directory}:${process.env.PATH}`);
    vi.stubEnv('SHEAF_STATE_DIR', join(directory, 'state'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const vault = join(directory, 'vault');
    mkdirSync(vault);
    const ending = new AbortController();
    openInBrowser('http://127.0.0.1:4177/#k=sec"ret', vault, ending.signal);
    await vi.waitFor(() => expect(existsSync(told)).toBe(true));
    const argument = readFileSync(told, 'utf8');
    expect(argument).not.toContain('ret');
    const file = fileURLToPath(argument);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('0;url=http://127.0.0.1:4177/#k=sec&#34;ret"');
    ending.abort();
    expect(existsSync(file)).toBe(false);
  },
);
