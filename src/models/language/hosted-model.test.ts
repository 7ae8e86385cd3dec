import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ModelError, type ModelRequest } from '#adapter-contracts';
import { type ForcedAnswer, languageModelContract, type PlannedTurn, serveLanguageModel } from '#adapter-contracts/testing';
import { createHostedModel } from './hosted-model.ts';
import { checkModelSettings, type HostedModelSetting } from './language-model-settings.ts';

const key = 'sk-test-9f8e7d6c5b4a3210';
const secretNote = 'The alarm code of the shop is 4711, never tell it to anybody.';

const settingFor = (baseUrl: string, more: object = {}): HostedModelSetting =>
  checkModelSettings(
    { version: 1, models: { m: { provider: 'openai-compatible', base_url: baseUrl, model: 'planned', ...more } } },
    'models.json',
  ).m as HostedModelSetting;

const playing = async (
  turns: readonly (PlannedTurn | ForcedAnswer)[],
  more: { readonly provider?: 'anthropic'; readonly timeout_seconds?: number } = {},
) => {
  const served = await serveLanguageModel(more.provider ?? 'openai-compatible', turns);
  onTestFinished(() => served.close());
  const origin = new URL(served.baseUrl).origin;
  const setting = settingFor(served.baseUrl, { key: { env: 'K', origin }, ...more });
  return { served, model: createHostedModel('m', setting, () => key) };
};

const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You keep notes.',
  messages: [{ role: 'user', text: secretNote }],
  tools: [{ name: 'note', description: 'Notes.', input: { type: 'object', properties: {} } }],
  maxOutputTokens: 100,
  ...more,
});

const failure = async (work: Promise<unknown>): Promise<ModelError> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ModelError);
  const shown = JSON.stringify({ ...(error as object), text: String(error), cause: String((error as Error).cause) });
  expect(shown).not.toContain(key);
  expect(shown).not.toContain('4711');
  return error as ModelError;
};

for (const provider of ['openai-compatible', 'anthropic'] as const) {
  languageModelContract({
    name: provider,
    describe,
    test,
    open: async turns => {
      const served = await serveLanguageModel(provider, turns);
      return Object.assign(
        createHostedModel('m', settingFor(served.baseUrl, { provider }), () => key),
        { close: () => served.close() },
      );
    },
  });
}

describe('what is sent', () => {
  test('the key goes in the header of its provider, and no key of the environment does', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-environment-of-somebody');
    vi.stubEnv('OPENAI_API_KEY', 'sk-environment-of-somebody');
    onTestFinished(() => void vi.unstubAllEnvs());
    const openAi = await playing([{ text: 'x' }]);
    await openAi.model.generate(ask());
    expect(openAi.served.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key}` });
    const anthropic = await playing([{ text: 'x' }], { provider: 'anthropic' });
    await anthropic.model.generate(ask());
    expect(anthropic.served.requests[0]?.headers).toMatchObject({ 'x-api-key': key });
    expect(anthropic.served.requests[0]?.headers.authorization).toBeUndefined();
    const served = await serveLanguageModel('anthropic', [{ text: 'x' }]);
    onTestFinished(() => served.close());
    await createHostedModel('m', settingFor(served.baseUrl, { provider: 'anthropic' }), () => key).generate(ask());
    expect(JSON.stringify(served.requests[0]?.headers)).not.toContain('sk-');
  });

  test('an endpoint that is asked gets the instructions, the conversation, the tools and the limit', async () => {
    const { served, model } = await playing([{ text: 'x' }]);
    await model.generate(ask());
    expect(served.requests[0]).toMatchObject({ url: '/v1/chat/completions', body: { model: 'planned', max_tokens: 100 } });
    expect(JSON.stringify(served.requests[0]?.body)).toContain('You keep notes.');
    expect(JSON.stringify(served.requests[0]?.body)).toContain('"name":"note"');
  });
});

describe('failures', () => {
  test.each([
    [
      '429 with a time to wait',
      { status: 429, headers: { 'retry-after': '7' }, body: '{"error":{"message":"too many"}}' },
      true,
      7000,
      'answered 429: too many',
    ],
    ['503', { status: 503, body: 'overloaded' }, true, null, 'answered 503: overloaded'],
    ['529', { status: 529, body: '{}' }, true, null, 'answered 529'],
    ['401', { status: 401, body: `{"error":{"message":"wrong key ${key}"}}` }, true, null, 'answered 401'],
    [
      '404 that says what is missing',
      { status: 404, body: `{"error":{"message":"model 'planned' not found"}}` },
      true,
      null,
      "answered 404: model 'planned' not found",
    ],
    [
      '400 that repeats the prompt',
      { status: 400, body: JSON.stringify({ error: { message: `bad: ${secretNote}` } }) },
      false,
      null,
      'answered 400',
    ],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, true, null, 'redirects elsewhere (307)'],
    ['a page of HTML', { status: 200, body: '<html>' }, true, null, 'no turn of a model'],
    ['JSON of another kind', { status: 200, body: '{"choices":7}' }, true, null, 'no turn of a model'],
    ['no choices', { status: 200, body: '{"choices":[]}' }, true, null, 'could not be read'],
  ])('%s', async (_, answer: ForcedAnswer, temporary, retryAfterMs, text) => {
    const { model, served } = await playing([answer]);
    const error = await failure(model.generate(ask()));
    expect(error).toMatchObject({ temporary, retryAfterMs });
    expect(error.message).toContain(text);
    // One turn is one request, however it ends.
    expect(served.requests).toHaveLength(1);
  });

  test('an endpoint that nobody listens at may be tried again', async () => {
    const { model, served } = await playing([{ text: 'x' }]);
    await served.close();
    expect(await failure(model.generate(ask()))).toMatchObject({ temporary: true });
  });

  test('an endpoint that says nothing is left at the time limit, and when the caller stops', async () => {
    const { model } = await playing([{ hang: true }], { timeout_seconds: 1 });
    const error = await failure(model.generate(ask()));
    expect(error).toMatchObject({ temporary: true });
    expect(error.message).toContain('within 1 s');
    const stop = new AbortController();
    const waiting = failure(model.generate(ask({ signal: stop.signal })));
    setTimeout(() => stop.abort(), 50);
    expect((await waiting).message).toContain('stopped');
  });

  test('an answer without end is cut off', async () => {
    const { model } = await playing([{ body: `{"a":"${'x'.repeat(9 * 1024 * 1024)}"}` }]);
    expect(await failure(model.generate(ask()))).toMatchObject({ temporary: true });
  });

  test('arguments that are no JSON are given as text', async () => {
    const { model } = await playing([{ calls: [{ name: 'note', arguments: null, raw: '{"title": "x' }] }]);
    expect((await model.generate(ask())).calls).toMatchObject([{ name: 'note', arguments: '{"title": "x' }]);
  });

  test('a key that cannot be read is asked of nobody', async () => {
    const { served } = await playing([{ text: 'x' }]);
    const setting = settingFor(served.baseUrl, { key: { env: 'K', origin: new URL(served.baseUrl).origin } });
    const missing = createHostedModel('m', setting, () => {
      throw new Error('the environment variable K is not set');
    });
    expect((await failure(missing.generate(ask()))).message).toContain('K is not set');
    const moved = createHostedModel('m', { ...setting, key: { env: 'K', origin: 'https://api.example' } }, () => key);
    expect((await failure(moved.generate(ask()))).message).toContain('sent nowhere else');
    expect(served.requests).toHaveLength(0);
  });
});

test.each([
  ['http to another machine', { base_url: 'http://example.org/v1' }, 'over https only'],
  ['a password in the address', { base_url: 'https://a:b@example.org/v1' }, 'no user or password'],
  [
    'a key for another origin',
    { base_url: 'https://example.org/v1', key: { env: 'K', origin: 'https://api.example' } },
    'not sent to https://example.org',
  ],
  ['a member nobody knows', { base_url: 'https://example.org/v1', api_key: 'sk' }, 'api_key'],
])('settings are refused with %s', (_, setting, text) => {
  expect(() => settingFor('https://example.org', setting)).toThrow(text);
});
