import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '#errors';
import type { ProjectionView } from '#projections';
import type { SemanticLaneState } from '../semantic-lane.ts';
import type { EmbedderInForce, EmbeddingReport, EmbedOptions } from './embeddings.ts';

interface KeeperOptions {
  readonly projections: ProjectionView;
  readonly current: () => EmbedderInForce;
  readonly state: () => Promise<SemanticLaneState>;
  readonly embed: (options: EmbedOptions) => Promise<EmbeddingReport>;
}

/** How soon a changed document is embedded, at the latest. */
const restMs = 1000;
/** How long a model that is away, or a document that it does not take, is left alone. */
const longestRestMs = 5 * 60_000;
/** Documents embedded without anybody asking; whoever brings in more says so with `sheaf index embed`. */
const mostUnasked = 1000;
/** Documents of one turn. */
const turn = 64;

/**
 * Embeds changed documents in the background of a server. It never begins an index and never changes its model: that costs time, and at some endpoints
 * money, so a person asks for it. An index that vanished while this keeper saw it ready is made again.
 */
export const createKeeper = (
  options: KeeperOptions,
): { readonly start: () => () => Promise<void>; readonly notices: () => readonly string[] } => {
  let notice: string | null = null;
  const keep = async (signal: AbortSignal): Promise<void> => {
    let failures = 0;
    let readyModel: string | null = null;
    while (!signal.aborted) {
      const outcome: KeptOnce = await keepOnce(options, readyModel, signal).catch((error: unknown) => ({
        problem: reasonOf(error),
        model: readyModel,
      }));
      if (signal.aborted) return;
      readyModel = outcome.model;
      failures = outcome.problem === null ? 0 : failures + 1;
      notice = outcome.problem;
      const rest = Math.min(longestRestMs, restMs * 2 ** failures);
      // A timer must not keep a process alive that has nothing else to do.
      await delay(rest, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  return {
    start() {
      const stop = new AbortController();
      const kept = keep(stop.signal);
      return () => {
        stop.abort();
        return kept;
      };
    },
    notices: () => (notice === null ? [] : [notice]),
  };
};

interface KeptOnce {
  readonly problem: string | null;
  /** The model whose index was seen ready. */
  readonly model: string | null;
}

/** One look, and one turn of work if there is any. */
const keepOnce = async (
  { projections, current, state, embed }: KeeperOptions,
  readyModel: string | null,
  signal: AbortSignal,
): Promise<KeptOnce> => {
  if (current().embedder === null) return { problem: null, model: null };
  await projections.level({ signal });
  const found = await state();
  const vanished = found.state === 'reindex_needed' && found.model === readyModel && current().embedder?.dimension !== null;
  if (found.state !== 'ready' && !vanished) return { problem: null, model: readyModel };
  const missing = found.state === 'ready' ? found.missing : turn;
  if (missing === 0) return { problem: null, model: current().embedder?.model ?? null };
  if (missing > mostUnasked) return { problem: `${missing} documents have no vectors yet: run \`sheaf index embed\``, model: readyModel };
  const { model, failed } = await embed({ limit: turn, signal });
  const [first] = failed;
  if (first === undefined) return { problem: null, model };
  return { problem: `the embedding model does not take ${first.path}: ${first.reason}`, model };
};
