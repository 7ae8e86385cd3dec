import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import { hashContent } from '#document';
import { initVault, openVault } from '#open-vault';

// The same code soaks for as long as it is left running; here a few rounds fit the budget.
const rounds = process.env.SHEAF_SOAK ? Number(process.env.SHEAF_SOAK_ROUNDS ?? 500) : 8;
const writers = 3;
const startSeed = Number(process.env.SHEAF_SEED ?? Date.now() % 1_000_000);

interface Request {
  readonly type: string;
  readonly path: string;
  readonly idempotency_key: string;
}
interface Answer {
  readonly success: boolean;
  readonly event_id?: string;
  readonly committed_at: string | null;
  readonly replay?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Runs writers against `root` and kills them all without warning; returns what they tried and what they were told. */
const runAndKill = async (root: string, seed: number) => {
  const tried = new Map<string, { request: Request; principal: string }>();
  const told = new Map<string, Answer>();
  const children = Array.from({ length: writers }, (_, index) => {
    const name = `w${index}`;
    const child = spawn(process.execPath, ['test/crash/writer.mjs', root, name, String(seed + index)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    let errors = '';
    child.stderr.on('data', chunk => {
      errors += String(chunk);
    });
    const finished = new Promise<void>((resolve, reject) => {
      child.on('close', (_code, signal) => {
        if (signal !== 'SIGKILL') {
          reject(new Error(`writer ${name} ended by itself: ${errors}`));
          return;
        }
        for (const line of text.split('\n').slice(0, -1)) {
          const said = JSON.parse(line) as { try?: Request; done?: string; response?: Answer };
          if (said.try) tried.set(said.try.idempotency_key, { request: said.try, principal: `agent:${name}` });
          if (said.done && said.response) told.set(said.done, said.response);
        }
        resolve();
      });
    });
    const ready = new Promise<void>(resolve => {
      child.stdout.on('data', chunk => {
        text += String(chunk);
        if (text.includes('"done"')) resolve();
      });
    });
    return { child, finished, ready };
  });
  try {
    await Promise.race([Promise.all(children.map(({ ready }) => ready)), ...children.map(({ finished }) => finished)]);
    await new Promise(resolve => setTimeout(resolve, (seed * 7919) % 400));
  } finally {
    for (const { child } of children) child.kill('SIGKILL');
    await Promise.allSettled(children.map(({ finished }) => finished));
  }
  await Promise.all(children.map(({ finished }) => finished));
  return { tried, told };
};

test(`killed writers lose no acknowledged change and leave none half-done (seed ${startSeed})`, async () => {
  const base = mkdtempSync(join(tmpdir(), 'sheaf-kill-'));
  const root = join(base, 'vault');
  process.env.SHEAF_STATE_DIR = join(base, 'state');
  const acknowledged = new Map<string, string>();
  try {
    await initVault({ root, workspaceId: 'ws-crash' });
    for (let round = 0; round < rounds; round++) {
      const { tried, told } = await runAndKill(root, startSeed + round * 101);
      for (const [key, answer] of told) {
        if (answer.success && answer.event_id) acknowledged.set(key, answer.event_id);
        if (!answer.success) expect(answer.error?.code, answer.error?.message).not.toBe('internal_error');
      }

      const vault = await openVault({ root });
      try {
        const events: CanonicalEvent[] = [];
        for await (const { event } of vault.events()) events.push(event);
        const byKey = new Map(events.map(event => [event.idempotency_key, event]));
        expect(byKey.size, 'no key stands twice in the log').toBe(events.length);
        for (const [key, id] of acknowledged) expect(byKey.get(key)?.event_id, `acknowledged ${key}`).toBe(id);

        const last = new Map<string, CanonicalEvent>();
        for (const event of events) if (event.action !== 'event') last.set(event.subject, event);
        for (const [path, event] of last) {
          const file = join(root, path);
          const stored = existsSync(file) ? hashContent(readFileSync(file)) : null;
          expect(stored, `${path} agrees with its last event ${event.event_id}`).toBe(event.after_hash);
        }

        for (const [key, { request, principal }] of tried) {
          if (told.has(key)) continue;
          const answer = (await vault.execute(request, {
            principal: {
              id: principal,
              kind: 'agent',
              workspaceIds: ['ws-crash'],
              capabilities: ['*:*'],
              authentication: { provider: 'test', assurance: 'verified' },
            },
          })) as Answer;
          const before = byKey.get(key);
          if (before) expect({ replay: answer.replay, id: answer.event_id }).toEqual({ replay: true, id: before.event_id });
          else expect(answer.replay ?? false).toBe(false);
          if (answer.success && answer.event_id) acknowledged.set(key, answer.event_id);
        }
      } finally {
        await vault.close();
      }
    }
    expect(acknowledged.size).toBeGreaterThan(rounds * writers);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}, 600_000);
