// Whether what a reader saw beside writers is something that somebody wrote, whole.
import { expect } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import type { History } from './history.ts';

interface Seen {
  readonly how: 'writable' | 'read-only';
  readonly path?: string;
  readonly kind?: string;
  readonly hash?: string;
  readonly text?: string;
  readonly ids?: readonly string[];
}

/** A document is a committed version or whole work of writers that never got as far; a feed is the log itself, nothing skipped and nothing turned back. */
export const checkView = (history: History, events: readonly CanonicalEvent[], lines: readonly unknown[]): number => {
  const committed = new Set(events.map(({ subject, after_hash }) => `${subject} ${after_hash}`));
  const feeds: Record<Seen['how'], string[]> = { writable: [], 'read-only': [] };
  let uncommitted = 0;
  for (const { how, path, kind, hash, text, ids } of lines as readonly Seen[]) {
    feeds[how].push(...(ids ?? []));
    if (path === undefined) continue;
    expect(kind, `${path} (${hash}) parses`).toBe('document');
    if (committed.has(`${path} ${hash}`)) continue;
    // Written, and then undone because its writer was refused or died before the event.
    uncommitted += 1;
    checkIntended(history, path, text ?? '');
  }
  const log = events.map(event => event.event_id);
  for (const [how, feed] of Object.entries(feeds))
    expect(feed, `the ${how} feed is the log from its beginning`).toEqual(log.slice(0, feed.length));
  return uncommitted;
};

/** Every part of the document comes, whole, from a request that somebody sent for this path. */
const checkIntended = ({ tried }: History, path: string, text: string): void => {
  const parts = /^---\n([\s\S]*?\n)---\n([\s\S]*)$/.exec(text);
  expect(parts, `${path} has whole frontmatter`).not.toBeNull();
  const [, frontmatter = '', body = ''] = parts ?? [];
  for (const [, key = ''] of frontmatter.matchAll(/^x_\d: "?([^"\n]*)"?$/gm)) {
    const value = tried.get(key)?.request.patches;
    expect(value, `${path}: somebody patched in '${key}'`).toBeDefined();
  }
  const sent = [...tried.values()].map(({ request }) => request).filter(request => request.path === path);
  if (path.startsWith('threads/')) {
    const turns = new Set(sent.map(({ patches }) => patches?.__body__));
    for (const turn of body.split(/^(?=### )/m).filter(part => part !== ''))
      expect(turns, `${path} holds a turn that somebody sent`).toContain(turn);
  } else {
    const bodies = sent.flatMap(({ content }) => (content === undefined ? [] : [content.slice(content.indexOf('\n---\n') + 5)]));
    expect(bodies, `${path} holds a body that somebody sent`).toContain(body);
  }
};
