import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import { openVault } from '#open-vault';
import { openFsStore } from '#stores/fs';
import { code, evt, mebibyte, op, rule, type Vault, withDiskVault } from './hostile-vault.ts';

afterEach(() => expect({}).not.toHaveProperty('polluted'));

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
/** Another event like the given one, as the text of a line; `edit` works on the text. */
const like = (event: CanonicalEvent, edit: (text: string) => string): string =>
  `${edit(JSON.stringify({ ...event, event_id: '019e0000-0000-7000-8000-000000000001', idempotency_key: 'smuggled' }))}\n`;

/** Appends to the log past Sheaf, then opens the vault again, works in it and counts its events. */
const withSmuggled = async (
  line: (event: CanonicalEvent) => string | Uint8Array,
  check: (found: { readonly events: number; readonly damage: number; readonly vault: Vault }) => Promise<void>,
): Promise<void> => {
  await withDiskVault(async (first, root, base) => {
    expect(await code(first, op('a.md', rule('1\n')))).toBe('ok');
    await first.close();
    const directory = join(root, '.ssss', 'events');
    const file = join(directory, readdirSync(directory).find(name => name.endsWith('.jsonl'))!);
    appendFileSync(file, line(JSON.parse(readFileSync(file, 'utf8')) as CanonicalEvent));
    const vault = await openVault({ root, stateDir: join(base, 'state') });
    expect(await code(vault, op('a.md', rule('2\n')))).toBe('ok');
    expect(await code(vault, evt('shop', '1'))).toBe('ok');
    let events = 0;
    for await (const _ of vault.events()) events += 1;
    const store = await openFsStore({ root, workspaceId: 'ws-a', readOnly: true });
    const damage = (await store.events.damage()).length;
    await store.close();
    await check({ events, damage, vault });
    await vault.close();
  });
};

const noEvents: readonly (readonly [what: string, line: (event: CanonicalEvent) => string | Uint8Array])[] = [
  ['five mebibytes of noise', () => `${'x'.repeat(5 * mebibyte)}\n`],
  ['a page of NUL', () => `${'\0'.repeat(4096)}\n`],
  ['bytes that are no UTF-8', () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d, 0x0a])],
  ['a list', () => '[]\n'],
  ['a hundred thousand open brackets', () => `${'['.repeat(100_000)}\n`],
  ['a list a hundred thousand levels deep', () => `${deep(100_000)}\n`],
  ['an event that only a prototype would have', event => `{"__proto__":${JSON.stringify(event)}}\n`],
  ['an event whose subject is a number', event => like(event, text => text.replace(/"subject":"[^"]*"/, '"subject":5'))],
];

test.each(noEvents)('%s in the log is reported and passed over; what stands before and after counts', async (_, line) => {
  await withSmuggled(line, async ({ events, damage }) => {
    expect({ events, damage }).toEqual({ events: 3, damage: 1 });
  });
});

const oddEvents: readonly (readonly [what: string, edit: (text: string) => string])[] = [
  ['a payload a hundred thousand levels deep', text => text.replace(/"payload":.*?(?=,"|}$)/, `"payload":${deep(100_000)}`)],
  ['a member named __proto__', text => text.replace('{', '{"__proto__":{"polluted":true},')],
  ['a lone surrogate in its subject', text => text.replace(/"subject":"[^"]*"/, '"subject":"x\\ud800.md"')],
  ['a subject outside the vault', text => text.replace(/"subject":"[^"]*"/, '"subject":"../../outside.md"')],
  ['ids that are names of prototypes', text => text.replaceAll(/"(event_id|idempotency_key)":"[^"]*"/g, '"$1":"__proto__"')],
];

test.each(oddEvents)('an event with %s is read like others and leads nowhere', async (_, edit) => {
  await withSmuggled(
    event => like(event, edit),
    async ({ events, vault }) => {
      expect(events).toBe(4);
      await expect(vault.status()).resolves.toBeDefined();
    },
  );
});
