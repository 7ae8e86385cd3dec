import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import { parseDocument } from '#document';
import { matchesTrigger } from '../triggers/matches-trigger.ts';
import { readTriggers } from '../triggers/read-triggers.ts';
import { verifySignature } from './verify-signature.ts';
import { webhookReceipt } from './webhook-receipt.ts';

const now = Date.parse('2026-05-16T08:00:00Z');
const seconds = now / 1000;
const body = Buffer.from('{"order":7}');
const hex = (secret: string, ...parts: readonly (string | Buffer)[]): string => {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};
const timed = (secret: string, time = seconds, text = body): string => `t=${time},v1=${hex(secret, `${time}.`, text)}`;
const request = (signature: string | undefined, bodySignature?: string) => ({ body, signature, bodySignature });

test('a request that a live secret signed just now is believed, either secret', () => {
  for (const secret of ['old', 'new'])
    expect(verifySignature(['old', 'new'], request(timed(secret)), now)).toEqual({ kind: 'timed', seconds });
});

test('one of several signatures is enough, while a sender exchanges its secret', () => {
  const both = `t=${seconds},v1=${hex('gone', `${seconds}.`, body)},v1=${hex('new', `${seconds}.`, body)}`;
  expect(verifySignature(['new'], request(both), now)).toEqual({ kind: 'timed', seconds });
});

test('a sender that knows no time signs its body', () => {
  expect(verifySignature(['s'], request(undefined, `sha256=${hex('s', body)}`), now)).toEqual({ kind: 'body' });
});

test.each([
  ['no signature', undefined, undefined],
  ['another secret', timed('x'), undefined],
  ['another body', timed('s', seconds, Buffer.from('{}')), undefined],
  ['too old', timed('s', seconds - 301), undefined],
  ['from the future', timed('s', seconds + 301), undefined],
  ['the time is not the signed one', timed('s').replace(`t=${seconds}`, `t=${seconds + 1}`), undefined],
  ['two times', `t=${seconds},${timed('s')}`, undefined],
  ['no time', `v1=${hex('s', body)}`, undefined],
  ['a short signature', `t=${seconds},v1=${hex('s', `${seconds}.`, body).slice(0, 10)}`, undefined],
  ['not hex', `t=${seconds},v1=zz`, undefined],
  ['endless', `t=${seconds},v1=${'0'.repeat(5000)}`, undefined],
  ['a body signature of another secret', undefined, `sha256=${hex('x', body)}`],
  ['a body signature without its name', undefined, hex('s', body)],
  ['a stale time is not saved by a good body signature', timed('s', seconds - 4000), `sha256=${hex('s', body)}`],
])('%s is refused', (_, signature, bodySignature) => {
  expect(verifySignature(['s'], request(signature, bodySignature), now)).toBeNull();
});

test('without a secret nothing is believed', () => {
  expect(verifySignature([], request(timed('')), now)).toBeNull();
});

const parsed = parseDocument(
  '---\ntype: workflow\nname: w\nworkflow_id: w\ntriggers:\n  - type: webhook\n    id: form\n    x_secret: s\n  - type: webhook\n    id: other\n    x_secret: s\n---\n',
);
const [trigger, other] = readTriggers({
  workflows: [{ path: 'w.md', hash: 'sha256:0', data: parsed.kind === 'document' ? parsed.document.data : {} }],
  triggers: [],
}).triggers as [never, never];
const message = { body, contentType: 'application/json', seconds };

test('the same message of a sender is the same event; another time, body or trigger is another', () => {
  const key = (change: object = {}, of = trigger): string => webhookReceipt('ws', of, { ...message, ...change }).idempotency_key;
  expect(key()).toBe(key());
  const keys = [
    key(),
    key({ seconds: seconds + 1 }),
    key({ seconds: null }),
    key({ body: Buffer.from('x') }),
    key({ after: 'e1' }),
    key({}, other),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

test.each([
  ['JSON', body, { json: { order: 7 } }],
  ['JSON with a number that would lose digits', Buffer.from('{"id":9007199254740993}'), { text: '{"id":9007199254740993}' }],
  ['text', Buffer.from('order=7'), { text: 'order=7' }],
  ['anything else', Buffer.from([0xff, 0x00]), { base64: '/wA=' }],
  ['nothing', Buffer.alloc(0), { text: '' }],
])('%s is kept as what it is', (_, bytes, kept) => {
  expect(JSON.parse(webhookReceipt('ws', trigger, { ...message, body: bytes }).content)).toMatchObject({ origin: 'external', ...kept });
});

test('the receipt fires its own trigger and no other', () => {
  const payload: unknown = JSON.parse(webhookReceipt('ws', trigger, message).content);
  const event = { action: 'event', subject: 'w.md', payload } as CanonicalEvent;
  expect([matchesTrigger(trigger, event), matchesTrigger(other, event)]).toEqual([true, false]);
  expect(matchesTrigger(trigger, { ...event, action: 'patch' })).toBe(false);
});
