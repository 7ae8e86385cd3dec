import { expect, test } from 'vitest';
import { parseRecords } from './index.ts';

test('turns and steps are read in order with their texts and places', () => {
  const body =
    '\nIntro\n\n### turn 1 — user — 2026-05-16T14:00:00Z\nHello.\n\nMore.\n\n### step 2 — gather — and sort — 2026-05-16T08:00:01Z — ok\n\n';
  const records = parseRecords(body);
  expect(records).toMatchObject([
    { kind: 'turn', number: 1, name: 'user', timestamp: '2026-05-16T14:00:00Z', status: null, text: 'Hello.\n\nMore.', line: 4 },
    { kind: 'step', number: 2, name: 'gather — and sort', timestamp: '2026-05-16T08:00:01Z', status: 'ok', text: '', line: 9 },
  ]);
  expect(records.map(({ start, end }) => body.slice(start, end)).join('')).toBe(body.slice(body.indexOf('###')));
});

test('CRLF bodies read like LF bodies', () => {
  const body = '### turn 1 — a — 2026-01-01T00:00:00Z\r\nx\r\ny\r\n\r\n### turn 2 — b — 2026-01-01T00:00:00Z\r\nz';
  expect(parseRecords(body).map(({ name, text, line }) => [name, text, line])).toEqual([
    ['a', 'x\r\ny', 1],
    ['b', 'z', 5],
  ]);
});

test('a heading inside closed code is text, an unclosed fence hides nothing', () => {
  const turn = (number: number): string => `### turn ${number} — a — 2026-01-01T00:00:00Z\n`;
  expect(parseRecords(`${turn(1)}\`\`\`\n${turn(2)}\`\`\`\n${turn(2)}`).map(record => record.number)).toEqual([1, 2]);
  expect(parseRecords(`${turn(1)}\`\`\`\ncut off\n${turn(2)}`).map(record => record.number)).toEqual([1, 2]);
});

test('other headings are no records', () => {
  expect(
    parseRecords('### turn one — a — 2026-01-01T00:00:00Z\n#### turn 1 — a — 2026-01-01T00:00:00Z\n### Notes\n### turn 1 — a\n'),
  ).toEqual([]);
});

test('a long run of spaces in a heading costs no more than its length', () => {
  const [record] = parseRecords(`### step 1 — gather — 2026-05-16T08:00:01Z — ok${' '.repeat(200_000)}!${' '.repeat(200_000)}\n`);
  expect(record?.status).toBe(`ok${' '.repeat(200_000)}!`);
});

test('a heading starts a line that ends in a line feed', () => {
  const heading = '### turn 1 — a — 2026-01-01T00:00:00Z';
  for (const separator of ['\u2028', '\r']) expect(parseRecords(`text${separator}${heading}\n`)).toEqual([]);
  expect(parseRecords(`${heading} — ok \r\nText\r\n`)).toMatchObject([{ status: 'ok', text: 'Text' }]);
  expect(parseRecords(`${heading}\r\nText\r\n`)).toMatchObject([{ status: null, text: 'Text' }]);
});
