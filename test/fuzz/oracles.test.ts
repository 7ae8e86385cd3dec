import { expect, test } from 'vitest';
import type { CanonicalEvent } from '#adapter-contracts';
import { createDocument, type Document, type ParsedFile, patchDocument } from '#document';
import { VaultError } from '#errors';
import { composeRegistry, parseExtension, RegistryError, readJson } from '#registry';
import type { FsStore } from '#stores/fs';
import { readCorpus } from './engine/corpus.ts';
import { breach, fuzz } from './engine/fuzz.ts';
import { readsInLinearTime } from './engine/linear-time.ts';
import { minimise } from './engine/minimise.ts';
import type { FuzzTarget } from './engine/target.ts';
import { configurationReaders, createConfigurationTarget } from './targets/configuration.ts';
import { createEnvelopeTarget, execute } from './targets/envelope.ts';
import { createFrontmatterTarget, documentReader } from './targets/frontmatter.ts';
import { createJsonTarget, jsonReaders } from './targets/json.ts';
import { createLogTarget, openLog } from './targets/log.ts';
import { createMarkdownTarget, markdownReaders } from './targets/markdown.ts';
import { createPatchTarget } from './targets/patch.ts';
import { createPathTarget, pathRules } from './targets/path.ts';
import { createRegistryTarget, registryReader } from './targets/registry.ts';

/** The law that a broken implementation is found to break, by the corpus or by a run as short as the ones of `npm test`. */
const lawBrokenBy = async (target: FuzzTarget): Promise<string> => {
  const seeds = readCorpus(target.name).map(({ input }) => input);
  for (const input of seeds) {
    const reason = await breach(target, input);
    if (reason !== null) return reason;
  }
  const { broken } = await fuzz(target, seeds, {
    seed: 1,
    executions: target.executions,
    seconds: Number.POSITIVE_INFINITY,
    guided: false,
  });
  return broken?.reason ?? 'nothing was found';
};

const altered = (parsed: ParsedFile, change: (document: Document) => Partial<Document>): ParsedFile =>
  parsed.kind === 'document' ? { kind: 'document', document: { ...parsed.document, ...change(parsed.document) } } : parsed;

const { parseDocument } = documentReader;
const withoutLast = ({ data, layout }: Document): Partial<Document> => {
  const entries = layout.entries.slice(0, -1);
  return {
    data: Object.assign(Object.create(null), Object.fromEntries(entries.map(({ key }) => [key, data[key]]))),
    layout: { ...layout, entries },
  };
};
const retyped = ({ data, layout }: Document): Partial<Document> => {
  const retype = <T>(value: T): T => (value === 'TRUE' ? (true as T) : value);
  const changed = Object.assign(Object.create(null), Object.fromEntries(Object.entries(data).map(([key, value]) => [key, retype(value)])));
  return { data: changed, layout: { ...layout, entries: layout.entries.map(entry => ({ ...entry, value: retype(entry.value) })) } };
};
const canonicalPatch: typeof patchDocument = (document, patches, body) => {
  const patched = patchDocument(document, patches, body);
  if (patched === document) return patched;
  const parsed = parseDocument(createDocument(patched.data, patched.body));
  return parsed.kind === 'document' ? parsed.document : patched;
};

/** A log store with some of its answers replaced. */
const withEvents =
  (change: (store: FsStore) => Partial<FsStore['events']>): typeof openLog =>
  async (segments, options) => {
    const store = await openLog(segments, options);
    return { ...store, events: { ...store.events, ...change(store) } };
  };

async function* until<T>(items: AsyncIterable<T>, stop: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) {
    if (stop(item)) return;
    yield item;
  }
}

const isOdd = ({ event_id: id }: CanonicalEvent): boolean => Number(id.slice(1)) % 2 === 1;

const broken: readonly (readonly [what: string, target: FuzzTarget, law: RegExp])[] = [
  [
    'a parser that drops a key',
    createFrontmatterTarget({ ...documentReader, parseDocument: text => altered(parseDocument(text), withoutLast) }),
    /no YAML reader agrees|canonical text reads back/,
  ],
  [
    'a parser that types TRUE',
    createFrontmatterTarget({ ...documentReader, parseDocument: text => altered(parseDocument(text), retyped) }),
    /no YAML reader agrees/,
  ],
  [
    'a parser that refuses lists in brackets',
    createFrontmatterTarget({
      ...documentReader,
      parseDocument: text =>
        /: \[a/.test(text)
          ? { kind: 'invalid', text, issues: [{ field: 'frontmatter', issue: 'No lists.', line: 1, column: 1 }], readable: {} }
          : parseDocument(text),
    }),
    /both YAML readers read what is refused/,
  ],
  [
    'a parser that throws at a tab',
    createFrontmatterTarget({
      ...documentReader,
      parseDocument(text) {
        if (text.includes('\t')) throw new TypeError('tab');
        return parseDocument(text);
      },
    }),
    /TypeError/,
  ],
  [
    'a writer that never quotes',
    createFrontmatterTarget({ ...documentReader, createDocument: (data, body) => createDocument(data, body).replaceAll('"', '') }),
    /canonical text/,
  ],
  [
    'a patch that writes everything anew',
    createPatchTarget({ ...documentReader, patchDocument: canonicalPatch }),
    /a patch keeps|the patched data|patched document/,
  ],
  [
    'a patch that forgets the body',
    createPatchTarget({
      ...documentReader,
      patchDocument: (document, { __body__: _body, ...patches }, mode) => patchDocument(document, patches, mode),
    }),
    /the body changes only|is refused/,
  ],
  [
    'a patch that refuses maps',
    createPatchTarget({
      ...documentReader,
      patchDocument(document, patches, mode) {
        if (JSON.stringify(patches).includes(':{')) throw new VaultError('invalid_request', {}, 'No maps.');
        return patchDocument(document, patches, mode);
      },
    }),
    /is accepted/,
  ],
  [
    'a kernel that throws',
    createEnvelopeTarget((store, envelope) =>
      Array.isArray(envelope) ? Promise.reject(new TypeError('a list')) : execute(store, envelope),
    ),
    /TypeError/,
  ],
  [
    'a kernel that names no member',
    createEnvelopeTarget(async (store, envelope) => {
      const response = await execute(store, envelope);
      return response.success
        ? response
        : { ...response, validation: { ...response.validation, errors: [] }, repair: { field_errors: [] } };
    }),
    /a malformed member is named/,
  ],
  [
    'a kernel whose refusals leave a trace',
    createEnvelopeTarget(async (store, envelope) => {
      const response = await execute(store, envelope);
      if (!response.success) await store.vfs.writeAtomic('trace.md', Buffer.from('x'), { ifAbsent: true });
      return response;
    }),
    /leaves no trace/,
  ],
  [
    'a strict reader that keeps the last of two names',
    createJsonTarget({ ...jsonReaders, parseStrictJson: text => readJson(text.replaceAll('"b"', '"a"')).value }),
    /exec/,
  ],
  [
    'a stream that ends at the first problem',
    createJsonTarget({ ...jsonReaders, readJsonItems: chunks => until(jsonReaders.readJsonItems(chunks), item => 'problem' in item) }),
    /whatever stands before it/,
  ],
  ['paths that are not looked at', createPathTarget({ ...pathRules, checkPath: () => null }), /./],
  [
    'reserved names without spellings',
    createPathTarget({ ...pathRules, isReservedPath: path => path.split('/').includes('.git') }),
    /reserved is what opens/,
  ],
  [
    'folding that is only lower case',
    createPathTarget({ ...pathRules, foldPath: path => path.toLowerCase() }),
    /Unicode forms fold alike|upper case/,
  ],
  [
    'a registry reader that throws anything',
    createRegistryTarget({
      ...registryReader,
      parseExtension(text, source) {
        if (text.includes('constructor')) throw new TypeError('constructor');
        return parseExtension(text, source);
      },
    }),
    /a file is refused as one/,
  ],
  [
    'a composition that depends on the order',
    createRegistryTarget({
      ...registryReader,
      composeRegistry(input) {
        const registry = composeRegistry(input);
        return { ...registry, digest: `${registry.digest}${input.extensions[0]?.id}` };
      },
    }),
    /the order of the files|keeps the lock/,
  ],
  [
    'a registry without places',
    createRegistryTarget({
      ...registryReader,
      parseExtension(text, source) {
        try {
          return parseExtension(text, source);
        } catch {
          throw new RegistryError('registry_invalid', { source, issues: [] }, source);
        }
      },
    }),
    /has an issue/,
  ],
  [
    'principals that are read loosely',
    createConfigurationTarget({ ...configurationReaders, parsePrincipals: text => JSON.parse(text).principals ?? [] }),
    /principals\.json/,
  ],
  [
    'a policy that is never refused',
    createConfigurationTarget({
      ...configurationReaders,
      parsePolicy: () => ({ floors: [], step_up: [], confirm: [], lease_required: [] }),
    }),
    /policy\.json: a name that stands twice/,
  ],
  [
    'links on the wrong line',
    createMarkdownTarget({
      ...markdownReaders,
      extractLinks: text => markdownReaders.extractLinks(text).map(link => ({ ...link, line: 1 })),
    }),
    /a link has its line/,
  ],
  [
    'renaming in the order of the links',
    createMarkdownTarget({
      ...markdownReaders,
      rewriteLinks(text, rename) {
        let result = '';
        let from = 0;
        for (const link of markdownReaders.extractLinks(text)) {
          result += text.slice(from, link.targetStart) + (rename(link) ?? link.target);
          from = link.targetEnd;
        }
        return result + text.slice(from);
      },
    }),
    /every link can be renamed|changes no byte/,
  ],
  [
    'a log that ends at the first odd event',
    createLogTarget(withEvents(({ events }) => ({ replay: options => until(events.replay(options), ({ event }) => isOdd(event)) }))),
    /every intact line is read/,
  ],
  [
    'a log that hides its damage',
    createLogTarget(withEvents(() => ({ damage: async () => [] }))),
    /damage is reported|stands twice is reported/,
  ],
  [
    'a log whose cursors are ignored',
    createLogTarget(withEvents(({ events }) => ({ replay: () => events.replay() }))),
    /reading on from a cursor/,
  ],
  ['a log that finds nothing by id', createLogTarget(withEvents(() => ({ findById: async () => null }))), /found by its id/],
];

test.each(broken)('%s is found out', async (_what, target, law) => expect(await lawBrokenBy(target)).toMatch(law));

test('a reader that starts over at every character is found out', () => {
  const startsOver = (long: string): void => {
    for (let at = 0; at < 500; at++)
      expect(
        long
          .slice(at, at + 20_000)
          .split('')
          .includes('c'),
      ).toBe(false);
  };
  expect(() => readsInLinearTime('ab', startsOver, 2)).toThrow('in linear time');
});

test('an input that breaks a law is made as small as it can be', async () => {
  const input = Buffer.from(`${'a'.repeat(300)}x${'b'.repeat(200)}y${'c'.repeat(100)}`);
  const small = await minimise(input, async candidate => candidate.includes('x') && candidate.includes('y'));
  expect(small.toString()).toBe('xy');
});

test('code that no input reached before is noticed, and the input kept', async () => {
  const target = createFrontmatterTarget();
  const report = await fuzz(target, [Buffer.from('text')], { seed: 1, executions: 128, seconds: Number.POSITIVE_INFINITY, guided: true });
  expect(report.broken).toBeNull();
  expect(report.reached.length).toBeGreaterThan(10);
  expect(report.coverage).toBeGreaterThan(0.3);
});
