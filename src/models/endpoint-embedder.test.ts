import { describe, expect, onTestFinished, test } from 'vitest';
import { EmbedderUnavailableError } from '#adapter-contracts';
import { createConceptEmbedder, embedderContract, type ForcedAnswer, serveEmbedder } from '#adapter-contracts/testing';
import { checkEmbedderSettings, type EndpointSettings } from './embedder-settings.ts';
import { createEndpointEmbedder } from './endpoint-embedder.ts';

const key = 'sk-test-9f8e7d6c5b4a3210';
const noPause = async (): Promise<void> => undefined;

const settingsFor = (baseUrl: string, more: object = {}): EndpointSettings =>
  checkEmbedderSettings({ kind: 'endpoint', base_url: baseUrl, model: 'concept-table', ...more }, 'embedder.json') as EndpointSettings;

const playing = async (answer: (count: number) => ForcedAnswer | null, more: object = {}, environment: NodeJS.ProcessEnv = {}) => {
  const served = await serveEmbedder(createConceptEmbedder(), { answer: (_, count) => answer(count) });
  onTestFinished(() => served.close());
  const embedder = createEndpointEmbedder(settingsFor(served.baseUrl, more), { environment, pause: noPause });
  return { served, embedder };
};

const reply = (...data: readonly object[]): ForcedAnswer => ({ body: JSON.stringify({ object: 'list', data }) });
const ask = { purpose: 'document' } as const;

embedderContract({
  name: 'OpenAI-compatible endpoint',
  describe,
  test,
  multilingual: { same: ['when is the meeting', '会議は来週の火曜に変更'], other: 'the price of a helmet' },
  open: async () => {
    const served = await serveEmbedder(createConceptEmbedder());
    const embedder = createEndpointEmbedder(settingsFor(served.baseUrl, { batch_size: 8 }));
    return Object.assign(embedder, { close: () => served.close() });
  },
});

describe('answers', () => {
  test('vectors that come in another order are put in order by their index', async () => {
    const { embedder } = await playing(() => reply({ index: 1, embedding: [0, 2] }, { index: 0, embedding: [3, 0] }));
    expect(await embedder.embed(['a', 'b'], ask)).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
    expect(embedder.dimension).toBe(2);
  });

  test('vectors without any index keep their order', async () => {
    const { embedder } = await playing(() => reply({ embedding: [0, 1] }, { embedding: [1, 0] }));
    expect(await embedder.embed(['a', 'b'], ask)).toEqual([Float32Array.of(0, 1), Float32Array.of(1, 0)]);
  });

  test('base64 is read as little-endian floats', async () => {
    const embedding = Buffer.from(Float32Array.of(0, -4).buffer).toString('base64');
    const { embedder } = await playing(() => reply({ index: 0, embedding }));
    expect(await embedder.embed(['a'], ask)).toEqual([Float32Array.of(0, -1)]);
  });

  const one = { index: 0, embedding: [1, 0] };
  test.each([
    ['fewer vectors than texts', reply(one), 'answered 1 vectors for 2 texts'],
    ['more vectors than texts', reply(one, one, one), 'answered 3 vectors for 2 texts'],
    ['one index twice', reply(one, one), '`index` does not name each text once'],
    ['an index on some only', reply(one, { embedding: [1, 0] }), '`index` does not name each text once'],
    ['an index outside', reply(one, { index: 2, embedding: [1, 0] }), '`index` does not name each text once'],
    ['vectors of two lengths', reply(one, { index: 1, embedding: [1, 0, 0] }), 'a vector of 3 numbers where 2 are expected'],
    ['NaN', { body: '{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}' }, 'not JSON'],
    ['numbers without end', { body: '{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}' }, 'not finite'],
    [
      'null for a number',
      reply({ index: 1, embedding: [1, 0] }, { index: 0, embedding: [null, 1] }),
      'for text 1, neither numbers nor base64',
    ],
    ['a vector of zeros', reply(one, { index: 1, embedding: [0, 0] }), 'for text 2, a vector of zeros'],
    ['an empty vector', reply(one, { index: 1, embedding: [] }), 'for text 2, an empty vector'],
    ['base64 that ends within a float', reply(one, { index: 1, embedding: 'AAA=' }), 'base64 that holds no 32-bit floats'],
    ['a page of HTML', { body: '<html>' }, 'not JSON'],
    ['an answer of another kind', { body: '{"embedding":[1]}' }, 'no list of embeddings'],
  ])('%s is refused with its reason', async (_, answer: ForcedAnswer, reason) => {
    const { embedder, served } = await playing(() => answer);
    await expect(embedder.embed(['a', 'b'], ask)).rejects.toThrow(reason);
    await expect(embedder.embed(['a', 'b'], ask)).rejects.toThrow(`${served.baseUrl}/embeddings`);
  });

  test('a later answer of another dimension is refused', async () => {
    const { embedder } = await playing(count => reply({ index: 0, embedding: count === 1 ? [1, 0] : [1, 0, 0] }));
    await embedder.embed(['a'], ask);
    await expect(embedder.embed(['b'], ask)).rejects.toThrow('a vector of 3 numbers where 2 are expected');
  });

  test('a set dimension is asked for and required', async () => {
    const { embedder, served } = await playing(() => reply({ index: 0, embedding: [1, 0] }), { dimension: 3 });
    await expect(embedder.embed(['a'], ask)).rejects.toThrow('a vector of 2 numbers where 3 are expected');
    expect(served.requests[0]?.body.dimensions).toBe(3);
  });

  test('an answer without end is cut off', async () => {
    const { embedder } = await playing(() => ({ body: ' '.repeat(3 * 1024 * 1024) }));
    await expect(embedder.embed(['a'], ask)).rejects.toThrow(/answers with more than \d+ bytes/);
  });
});

describe('an endpoint in trouble', () => {
  test.each([429, 500, 502, 503])('%i is asked again', async status => {
    const { embedder, served } = await playing(count => (count < 3 ? { status, body: 'busy' } : null));
    expect(await embedder.embed(['a'], ask)).toHaveLength(1);
    expect(served.requests).toHaveLength(3);
  });

  test('after four attempts it is called unavailable', async () => {
    const { embedder, served } = await playing(() => ({ status: 503, body: 'loading\nthe model' }));
    const failure = await embedder.embed(['a'], ask).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EmbedderUnavailableError);
    expect(String(failure)).toContain(`${served.baseUrl}/embeddings answered 503: loading the model`);
    expect(served.requests).toHaveLength(4);
  });

  test('it is left alone as long as it asks to be, at most half a minute', async () => {
    const waits: number[] = [];
    const served = await serveEmbedder(createConceptEmbedder(), {
      answer: (_, count) => (count < 3 ? { status: 429, headers: { 'retry-after': count === 1 ? '7' : '3600' } } : null),
    });
    onTestFinished(() => served.close());
    const pause = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
    await createEndpointEmbedder(settingsFor(served.baseUrl), { pause }).embed(['a'], ask);
    expect(waits).toEqual([7000, 30_000]);
  });

  test.each([400, 413, 422])('%i is about the texts: refused at once, not as unavailable', async status => {
    const { embedder, served } = await playing(() => ({ status, body: 'too long' }));
    const failure = await embedder.embed(['a'], ask).catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(EmbedderUnavailableError);
    expect(String(failure)).toContain(`answered ${status}: too long`);
    expect(served.requests).toHaveLength(1);
  });

  test.each([401, 403, 404])('%i is unavailable at once', async status => {
    const { embedder, served } = await playing(() => ({ status, body: 'no' }));
    await expect(embedder.embed(['a'], ask)).rejects.toBeInstanceOf(EmbedderUnavailableError);
    expect(served.requests).toHaveLength(1);
  });

  test('nobody listening is told with the address, at once', async () => {
    const served = await serveEmbedder(createConceptEmbedder());
    await served.close();
    const failure = await createEndpointEmbedder(settingsFor(served.baseUrl))
      .embed(['a'], ask)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EmbedderUnavailableError);
    expect(String(failure)).toContain(`${served.baseUrl}/embeddings cannot be reached: ECONNREFUSED`);
  });

  test('silence ends with the time allowed', async () => {
    const { embedder } = await playing(() => ({ hang: true }), { timeout_seconds: 1 });
    await expect(embedder.embed(['a'], ask)).rejects.toThrow('did not answer within 1 s');
  });

  test('an abort ends a request that is under way', async () => {
    const abort = new AbortController();
    const { embedder, served } = await playing(() => ({ hang: true }));
    const asked = embedder.embed(['a'], { ...ask, signal: abort.signal });
    await expect.poll(() => served.requests.length).toBe(1);
    abort.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });
});

describe('the key', () => {
  const keyed = (origin: string) => ({ key: { env: 'EMBEDDING_KEY', origin } });

  test('goes to the origin it was set for, as a bearer token', async () => {
    const { served } = await playing(() => null);
    const embedder = createEndpointEmbedder(settingsFor(served.baseUrl, keyed(new URL(served.baseUrl).origin)), {
      environment: { EMBEDDING_KEY: key },
    });
    await embedder.embed(['a'], ask);
    expect(served.requests.map(request => request.authorization)).toEqual([`Bearer ${key}`]);
  });

  test('is not sent to any other origin', async () => {
    const { embedder, served } = await playing(() => null, keyed('https://api.example.com'), { EMBEDDING_KEY: key });
    await expect(embedder.embed(['a'], ask)).rejects.toThrow('was set for https://api.example.com and is not sent to http://127.0.0.1:');
    expect(served.requests).toEqual([]);
  });

  test('does not follow a redirect, and neither does the text', async () => {
    const elsewhere = await serveEmbedder(createConceptEmbedder());
    onTestFinished(() => elsewhere.close());
    for (const status of [301, 307, 308]) {
      const { embedder } = await playing(() => ({ status, headers: { location: `${elsewhere.baseUrl}/embeddings` } }));
      await expect(embedder.embed(['a'], ask)).rejects.toThrow('redirects elsewhere');
    }
    expect(elsewhere.requests).toEqual([]);
  });

  test.each([
    ['as it is', `wrong key ${key}`],
    ['in part', `wrong key ${key.slice(0, 9)}…`],
    ['its end', `wrong key …${key.slice(-6)}`],
  ])('is not repeated when the endpoint says it %s', async (_, body) => {
    for (const status of [400, 401, 503]) {
      const served = await serveEmbedder(createConceptEmbedder(), { answer: () => ({ status, body }) });
      onTestFinished(() => served.close());
      const settings = settingsFor(served.baseUrl, keyed(new URL(served.baseUrl).origin));
      const embedder = createEndpointEmbedder(settings, { environment: { EMBEDDING_KEY: key }, pause: noPause });
      const failure = (await embedder.embed(['a'], ask).catch((error: unknown) => error)) as Error;
      expect(failure.message).toBe(`${served.baseUrl}/embeddings answered ${status}`);
    }
  });

  test('that is missing or unfit is told by the name of its variable', async () => {
    const { served } = await playing(() => null);
    const settings = settingsFor(served.baseUrl, keyed(new URL(served.baseUrl).origin));
    await expect(createEndpointEmbedder(settings, { environment: {} }).embed(['a'], ask)).rejects.toThrow('EMBEDDING_KEY');
    const odd = createEndpointEmbedder(settings, { environment: { EMBEDDING_KEY: `${key}\nX-Other: 1` } });
    const failure = (await odd.embed(['a'], ask).catch((error: unknown) => error)) as Error;
    expect(failure.message).toContain('EMBEDDING_KEY');
    expect(failure.message).not.toContain(key);
  });
});
