import { performance } from 'node:perf_hooks';
import { type Embedder, EmbedderUnavailableError } from '#adapter-contracts';

interface AskModelOptions {
  /** How long somebody who searches waits for the model. */
  readonly waitMs?: number;
  /** How long a model that was away is not asked again for a question. */
  readonly restMs?: number;
}

/** Runs what a question needs of a model. Rejects when the model is away, without asking it when it was away a moment ago. */
export type AskModel = <T>(embedder: Embedder, signal: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Somebody waits for the answer to a question, and has one without the model: so an endpoint that hangs, or says again and again that it is busy, holds a
 * question up for a few seconds once, not for as long as a run over all documents may wait for it.
 */
export const createAskModel = ({ waitMs = 5_000, restMs = 15_000 }: AskModelOptions = {}): AskModel => {
  const restsUntil = new WeakMap<Embedder, number>();
  return async (embedder, signal, ask) => {
    if (performance.now() < (restsUntil.get(embedder) ?? 0)) throw new EmbedderUnavailableError('the model did not answer a moment ago');
    const patience = AbortSignal.timeout(waitMs);
    try {
      const answer = await ask(signal === undefined ? patience : AbortSignal.any([signal, patience]));
      restsUntil.delete(embedder);
      return answer;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (!patience.aborted && !(error instanceof EmbedderUnavailableError)) throw error;
      restsUntil.set(embedder, performance.now() + restMs);
      throw patience.aborted ? new EmbedderUnavailableError(`the model did not answer within ${waitMs / 1000} s`) : error;
    }
  };
};
