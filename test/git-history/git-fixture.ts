import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import { sampleEvent } from '#adapter-contracts/testing';
import { hashContent } from '#document';
import { createMemoryStore } from '#stores/memory';
import { createGitHistory } from '../../src/projections/history/git/git-history.ts';
import { createMemoryContentStore } from '../../src/projections/history/memory-content-store.ts';

const workspaceId = 'ws-acme';
export const ref = 'refs/sheaf/history';

export const makeDirectory = (): string => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'sheaf-git-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};
export const git = (directory: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], {
    cwd: directory,
    encoding: 'utf8',
    stdio: 'pipe',
  });

/** A log with kept contents over a directory; `record` appends an event and keeps what it left. */
export const historyOf = (root: string, id = workspaceId) => {
  const { events, vfs } = createMemoryStore();
  const contents = createMemoryContentStore();
  let seconds = 0;
  const record = async (path: string, text: string | null, more: Partial<CanonicalEvent> = {}): Promise<string> => {
    const last = await events.lastRecorded(id, path);
    const after = text === null ? null : hashContent(text);
    if (text !== null) await contents.keep([{ hash: after!, bytes: new TextEncoder().encode(text) }]);
    const action = text === null ? 'delete' : last?.hash == null ? 'create' : 'replace';
    seconds += 1;
    const timestamp = new Date(Date.UTC(2026, 4, 16, 14, 0, seconds)).toISOString();
    const event = sampleEvent({
      workspace_id: id,
      subject: path,
      action,
      before_hash: last?.hash ?? null,
      after_hash: after,
      timestamp,
      ...more,
    });
    await events.append(event);
    return event.event_id;
  };
  const open = () =>
    createGitHistory({
      root,
      events,
      workspaceId: id,
      find: async hash => (await contents.find(hash)) ?? (await vfs.read('x').catch(() => null))?.bytes ?? null,
    });
  return { record, events, contents, open, history: open() };
};
export const ada = { ...sampleEvent({}).principal, id: 'local:ada' };
export const bot = { ...sampleEvent({}).principal, id: 'agent:<bot>\n' };
