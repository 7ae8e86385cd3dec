import { describe, expect, test } from 'vitest';
import type { Renderer, RenderRequest } from '#adapter-contracts';
import { hashContent, parseDocument } from '#document';
import { isVaultError } from '#errors';
import { chooseConvention, type LanguageConvention, plainConvention, readConvention } from './language-convention.ts';
import { renderDocument } from './render-document.ts';
import { controlBlock } from './render-request.ts';

const booking = `---
type: booking
title: "Ein Rad für zwei Tage"
description: "Das Rad ist reserviert."
starts_on: 2026-09-15
timestamp: 2026-09-14T12:30:00Z   # as received
seen_at: "2026-09-14T12:30:00Z"
deposit_eur: 1250
ratio: 0.5
schema_version: 2
impossible_on: 2026-02-30
folded: >-
  2026-09-15
language: de
relations: [bikes/rad.md]
---

## Das Rad

Das Rad, Fahrradhelm und [das Rad](/bikes/rad.md "Rad") gehören dazu. \`Rad\` bleibt.

\`\`\`
Rad
\`\`\`
`;

const german: LanguageConvention = {
  ...plainConvention('de-DE'),
  path: 'conventions/de.md',
  language: 'de',
  dateStyle: 'long',
  timeZone: 'Europe/Berlin',
  currencies: ['EUR'],
  terminology: [{ write: 'Fahrrad', instead_of: ['Rad', 'Drahtesel'] }],
};

const source = (text: string, path = 'bookings/a.md') => ({
  path,
  hash: hashContent(Buffer.from(text)),
  type: 'rental:booking',
  parsed: parseDocument(text),
});

const render = (text: string, more: Partial<Parameters<typeof renderDocument>[1]> = {}) =>
  renderDocument(source(text), { language: 'de', convention: german, renderer: null, ...more });

describe('without a renderer', () => {
  test('dates, sums and decimals stand in their form behind the values, which stay', async () => {
    const { content, presented } = await render(booking);
    expect(content).toContain('starts_on: 2026-09-15  # 15. September 2026\n');
    expect(content).toContain('timestamp: 2026-09-14T12:30:00Z   # as received\n');
    expect(content).toMatch(/deposit_eur: 1250 {2}# 1\.250,00\s€\n/);
    expect(content).toContain('ratio: 0.5  # 0,5\n');
    expect(content).toContain('schema_version: 2\n');
    expect(content).toContain('impossible_on: 2026-02-30\n');
    expect(content).toMatch(/seen_at: "2026-09-14T12:30:00Z" {2}# 14\. September 2026 um 14:30\n/);
    expect(presented.map(({ field }) => field)).toEqual(['starts_on', 'timestamp', 'seen_at', 'deposit_eur', 'ratio', 'folded']);
    expect(presented[0]).toEqual({ field: 'starts_on', value: '2026-09-15', text: '15. September 2026' });
  });

  test('the words of the convention are written in prose, and in nothing else', async () => {
    const { content, text_language: language } = await render(booking);
    expect(content).toContain('title: Ein Fahrrad für zwei Tage\n');
    expect(content).toContain('## Das Rad\n');
    expect(content).toContain('Das Fahrrad, Fahrradhelm und [das Rad](/bikes/rad.md "Rad") gehören dazu. `Rad` bleibt.');
    expect(content).toContain('```\nRad\n```');
    expect(language).toBe('de');
  });

  test('a text in another language keeps its words, and the answer says which language it is', async () => {
    const japanese = '---\ntype: rule\ntitle: "Rad"\nlanguage: ja\nday: 2026-09-15\n---\nRad\n';
    const rendered = await render(japanese);
    expect(rendered.content).toBe(japanese.replace('day: 2026-09-15', 'day: 2026-09-15  # 15. September 2026'));
    expect(rendered).toMatchObject({ text_language: 'ja', renderer: null, language: 'de' });
  });

  test('words of a script without spaces are replaced as whole words', async () => {
    const convention = { ...plainConvention('ja'), terminology: [{ write: '自転車', instead_of: ['チャリ'] }] };
    const { content } = await render('---\ntype: rule\ntitle: "t"\nlanguage: ja\n---\nチャリを返却する。\n', {
      language: 'ja',
      convention,
    });
    expect(content).toContain('自転車を返却する。');
  });

  test('the control block is the same before and after, whatever the document and the convention', async () => {
    for (const text of [booking, booking.replaceAll('\n', '\r\n'), 'Only Rad and words.\n', '---\ntitle: [not, a, text]\n---\n']) {
      const { content, control } = await render(text);
      expect(controlBlock({ ...source(text), parsed: parseDocument(content) })).toEqual(control);
    }
  });

  test('a document with Windows line ends keeps them', async () => {
    const { content } = await render(booking.replaceAll('\n', '\r\n'));
    expect(content.replaceAll('\r\n', '')).not.toContain('\n');
    expect(content).toContain('# 15. September 2026\r\n');
  });
});

const answering = (reply: (request: RenderRequest) => unknown): Renderer => ({ id: 'test', render: async request => reply(request) });

/** The issues of a refusal. */
const refused = async (text: string, reply: (request: RenderRequest) => unknown): Promise<readonly string[]> => {
  const outcome = await render(text, { renderer: answering(reply) }).catch((error: unknown) => error);
  if (!isVaultError(outcome) || outcome.code !== 'validation_failed') throw new Error(`not refused: ${JSON.stringify(outcome)}`);
  return (outcome.details.issues ?? []).map(({ field, issue }) => `${field}: ${issue}`);
};

describe('with a renderer', () => {
  test('title, description and body are what it says, and its request holds the control block', async () => {
    let request: RenderRequest | undefined;
    const renderer = answering(asked => {
      request = asked;
      return { title: 'A bicycle', body: asked.text.body.replace('Das Rad, Fahrradhelm und [das Rad]', 'The bicycle, helmet and [it]') };
    });
    const rendered = await render(booking, { language: 'en', convention: null, renderer });
    expect(rendered.content).toContain('title: A bicycle\n');
    expect(rendered.content).toContain('The bicycle, helmet and [it](/bikes/rad.md "Rad")');
    expect(rendered.content).toContain('description: "Das Rad ist reserviert."');
    expect(rendered).toMatchObject({ renderer: 'test', text_language: 'en' });
    expect(request?.control).toMatchObject({
      path: 'bookings/a.md',
      primitive_type: 'rental:booking',
      fields: { type: 'booking', schema_version: 2, relations: ['bikes/rad.md'] },
      links: ['/bikes/rad.md'],
      code: ['`Rad`', '```\nRad\n```'],
    });
    expect(request?.control.fields).not.toHaveProperty('title');
    expect(request?.control.content_hash).toMatch(/^sha256:/);
  });

  test.each(['path', 'status', 'type', 'relations', 'hash', 'control', 'constructor', 'permissions'])(
    'returning `%s` is refused by its name',
    async field => {
      expect(await refused(booking, () => ({ title: 'x', [field]: 'y' }))).toEqual([
        `${field}: is not for rendering to change; it may return only title, description and body.`,
      ]);
    },
  );

  test.each([
    [
      'a link that leads elsewhere',
      (body: string) => body.replace('/bikes/rad.md', '/bikes/wheel.md'),
      "the link '/bikes/rad.md' is not what it was",
    ],
    ['a link that is new', (body: string) => `${body}\n[more](/more.md)\n`, "the link '/more.md' was not there"],
    ['an image from elsewhere', (body: string) => `${body}\n![x](https://evil.example/x.png)\n`, 'evil.example'],
    ['a link before the text, as in frontmatter', (body: string) => `---\n[x](https://evil.example)\n---\n${body}`, 'evil.example'],
    ['HTML that loads something', (body: string) => `${body}\nx <img\nsrc=//evil.example/x> y\n`, 'evil.example'],
    ['HTML that runs something', (body: string) => `${body}\n<script>\nalert(1)\n</script>\n`, 'alert'],
    ['code that says something else', (body: string) => body.replace('`Rad`', '`Wheel`'), "the code '`Rad`' is not what it was"],
    ['a fence that is gone', (body: string) => body.replace(/```[\s\S]*```/, ''), 'the code'],
  ])('%s is refused', async (_, change, reason) => {
    expect((await refused(booking, ({ text }) => ({ body: change(text.body) }))).join('\n')).toContain(reason);
  });

  test('a record of an append-only body keeps its number, name, time and outcome', async () => {
    const run = '---\ntype: run\ntitle: "t"\n---\n\n### step 1 — gather — 2026-05-16T08:00:01Z — ok\n\nDone.\n';
    expect(await refused(run, ({ text }) => ({ body: text.body.replace('— ok', '— failed') }))).toEqual([
      "body: the record 'step — 1 — gather — 2026-05-16T08:00:01Z — ok' is not what it was.",
      "body: the record 'step — 1 — gather — 2026-05-16T08:00:01Z — failed' was not there.",
    ]);
    await expect(
      render(run, { renderer: answering(({ text }) => ({ body: text.body.replace('Done.', 'Fertig.') })) }),
    ).resolves.toBeTruthy();
  });

  test.each([
    [null, 'reply: must be an object'],
    ['text', 'reply: must be an object'],
    [['x'], 'reply: must be an object'],
    [{ title: 7 }, 'title: must be text'],
    [{ title: '' }, 'title: must be one line of text'],
    [{ title: 'a\nstatus: done' }, 'title: must be one line of text'],
    [{ body: '\ud800' }, 'body: must be text'],
  ])('an answer of %j is refused', async (reply, reason) => {
    expect((await refused(booking, () => reply)).join('\n')).toContain(reason);
  });

  test('a title that the document does not have cannot be added', async () => {
    expect(await refused('---\ntype: rule\n---\nText\n', () => ({ title: 'x' }))).toEqual(['title: is not in the document.']);
  });

  test('a renderer that fails is told with its name', async () => {
    const renderer: Renderer = { id: 'test', render: () => Promise.reject(new Error('out of memory')) };
    await expect(render(booking, { renderer })).rejects.toThrow("The renderer 'test' failed: out of memory");
  });
});

describe('a convention', () => {
  const data = (text: string) => {
    const parsed = parseDocument(`---\n${text}\n---\n`);
    if (parsed.kind !== 'document') throw new Error('no document');
    return parsed.document.data;
  };

  test('is read from its document', () => {
    const text =
      'language: de\nformat_locale: de-AT\nformality: formal\ndate_style: full\ncurrencies: [EUR]\nterminology:\n  - write: Fahrrad\n    instead_of: [Rad]';
    expect(readConvention('c.md', data(text))).toMatchObject({
      path: 'c.md',
      language: 'de',
      locale: 'de-AT',
      formality: 'formal',
      dateStyle: 'full',
      terminology: [{ write: 'Fahrrad', instead_of: ['Rad'] }],
    });
  });

  test.each([
    ['language: "not a language"', 'language'],
    ['language: de\ntime_zone: Mars/Olympus', 'time_zone'],
    ['language: de\ncurrencies: [euros]', 'currencies'],
  ])('%j is told with its place', (text, field) => {
    expect(() => readConvention('conventions/c.md', data(text))).toThrow(`The convention 'conventions/c.md': ${field} cannot be used`);
  });

  test('that names the language most exactly is chosen', () => {
    const of = (path: string, language: string, locale: string) => ({ ...plainConvention(locale), path, language });
    const all = [of('a', 'de', 'de-DE'), of('b', 'de', 'de-AT'), of('c', 'pt-BR', 'pt-BR')];
    expect(chooseConvention(all, 'de-AT')?.path).toBe('b');
    expect(chooseConvention(all, 'de')?.path).toBe('a');
    expect(chooseConvention(all, 'de-CH')?.path).toBe('a');
    expect(chooseConvention(all, 'pt')?.path).toBe('c');
    expect(chooseConvention(all, 'ja')).toBeNull();
  });
});
