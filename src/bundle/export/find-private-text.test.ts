import { expect, test } from 'vitest';
import { findPrivateText } from './find-private-text.ts';

// Put together at run time, so that no scanner of repositories takes them for real.
const of = (...parts: readonly string[]): string => parts.join('');

test.each([
  ['a private key', of('-----BEGIN RSA PRIVATE', ' KEY-----')],
  ['an access key of a cloud', of('AKIA', 'IOSFODNN7EXAMPLE')],
  ['a token of a code host', of('ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2')],
  ['a key of a language model', of('sk-', 'proj-a1b2c3d4e5f6g7h8i9j0')],
  ['a key of a payment service', of('sk_live_', 'a1b2c3d4e5f6g7h8')],
  ['a token of a chat service', of('xoxb-', '123456789012-abcdef')],
  ['a secret of a webhook', of('whsec_', 'a1b2c3d4e5f6g7h8i9j0')],
  ['a signed token', of('eyJ', 'hbGciOiJIUzI1NiJ9.eyJ', 'zdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijkl')],
  ['a password in an address', 'postgres://admin:hunter2@db.internal'],
  ['a password, token or key after its name', 'api_key: 9f8e7d6c5b4a3f2e'],
  ['a password, token or key after its name', '"token":"abC123xyZ987"'],
  ['an e-mail address', 'ines@velo-taller.es'],
  ['an e-mail address', '伊内斯@自行车.中国'],
  ['a phone number', '+34 612 34 56 78'],
  ['a phone number', '(030) 1234567'],
  ['a phone number', '+81-3-1234-5678'],
  ['a phone number', '(212) 555-0142'],
  ['a bank account number', 'DE89 3704 0044 0532 0130 00'],
])('%s is found: %s', (what, text) => {
  const before = 'Write: ';
  expect(findPrivateText(`${before}${text} today.`)).toMatchObject([{ what, start: expect.any(Number) as number }]);
  expect(findPrivateText(`${before}${text} today.`)[0]!.start).toBeGreaterThanOrEqual(before.length);
});

test.each([
  '2026-05-16T14:00:00Z',
  '16.05.2026 and 2026/05/16',
  'version 1.20.300, 10.0.0.1 and 3.14159265',
  'order 1234567890',
  'mail@example.com, you@example.org and a@test',
  'password: REQUIREMENT',
  'token: {{TOKEN}}',
  'secret: changeme',
  'the secret: patience',
  'api_key = <your key>',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '019b3c4d-8f0c-7a1b-8c3d-4e5f6a7b8c9d',
  'from 8 to 20, 1-2-3, 100 200 300',
  'price 1.234.567 and 12 000 000',
])('%s is left alone', text => {
  expect(findPrivateText(text)).toEqual([]);
});

test('values that were bound here are found wherever they stand, and reported once', () => {
  const text = 'Call 555-0100 or ask s3://media/x; again s3://media.';
  expect(findPrivateText(text, ['s3://media', '555-0100'])).toMatchObject([
    { kind: 'bound_value', start: 5, end: 13 },
    { kind: 'bound_value', start: 21, end: 31 },
    { kind: 'bound_value', start: 41, end: 51 },
  ]);
});

test('a megabyte of whatever the patterns like is read in one go', () => {
  for (const piece of ['a@', '1 ', 'eyJ', 'token=', '-----BEGIN ', '://a:', 'AB12 ']) {
    const found = findPrivateText(piece.repeat(200_000));
    expect(
      found.some((each, index) => index > 0 && each.start < found[index - 1]!.end),
      piece,
    ).toBe(false);
  }
});
