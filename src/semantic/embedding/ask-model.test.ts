import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EmbedderUnavailableError } from '#adapter-contracts';
import { createConceptEmbedder } from '#adapter-contracts/testing';
import { createAskModel } from './ask-model.ts';

const forever = (signal: AbortSignal): Promise<never> => delay(60_000, undefined, { signal }) as Promise<never>;

test('a model that hangs holds up one question for a moment, and the next ones not at all', async () => {
  const ask = createAskModel({ waitMs: 50, restMs: 300 });
  const embedder = createConceptEmbedder();
  let asked = 0;
  const hanging = (signal: AbortSignal) => {
    asked += 1;
    return forever(signal);
  };
  await expect(ask(embedder, undefined, hanging)).rejects.toThrow('did not answer within 0.05 s');
  await expect(ask(embedder, undefined, hanging)).rejects.toThrow(EmbedderUnavailableError);
  expect(asked).toBe(1);
  // Another setting is another model.
  expect(await ask(createConceptEmbedder(), undefined, async () => 'here')).toBe('here');
  await delay(320);
  expect(await ask(embedder, undefined, async () => 'back')).toBe('back');
});

test('neither a question that the model does not take nor one that is given up keeps it from the next question', async () => {
  const ask = createAskModel({ waitMs: 5_000, restMs: 60_000 });
  const embedder = createConceptEmbedder();
  const refuse = () => Promise.reject(new Error('too long'));
  await expect(ask(embedder, undefined, refuse)).rejects.toThrow('too long');
  await expect(ask(embedder, AbortSignal.timeout(20), forever)).rejects.toThrow();
  expect(await ask(embedder, undefined, async () => 'here')).toBe('here');
  await expect(ask(embedder, undefined, () => Promise.reject(new EmbedderUnavailableError('away')))).rejects.toThrow('away');
  await expect(ask(embedder, undefined, async () => 'here')).rejects.toThrow('a moment ago');
});
