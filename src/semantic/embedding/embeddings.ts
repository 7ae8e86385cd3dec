import type { Embedder } from '#adapter-contracts';
import type { SemanticLane, SemanticLaneState } from '../semantic-lane.ts';
import type { FailedDocument } from './embedding-run.ts';

/** The embedding model that is in force, as the host configured it. */
export interface EmbedderInForce {
  readonly embedder: Embedder | null;
  /** Why a configured one cannot be used. */
  readonly problem: string | null;
  /** Whether documents of private classes may be embedded (§11.9). */
  readonly embedsPrivate: boolean;
  /** Where text is sent: an origin or the name of a directory; null without an embedder or for one that the program brought. */
  readonly place: string | null;
  /** Whether text leaves this machine. */
  readonly hosted: boolean;
}

/** What became of an embedding run. */
export interface EmbeddingReport {
  readonly model: string;
  readonly dimension: number;
  /** Documents embedded now. */
  readonly embedded: number;
  /** Documents that still have no vectors for their content. */
  readonly missing: number;
  /** Documents that may be embedded. */
  readonly total: number;
  readonly failed: readonly FailedDocument[];
}

interface EmbeddingOverview extends EmbedderInForce {
  readonly state: SemanticLaneState;
  readonly documents: number;
}

export interface EmbedOptions {
  /** Makes every vector anew, also those that are there. */
  readonly rebuild?: boolean;
  /** Documents at most; default: all. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** A text and what the model makes of it; answers of `tryOut`. */
export interface EmbedderTrial {
  readonly model: string;
  readonly dimension: number;
  readonly milliseconds: number;
  /** Cosine of a sentence with the same sentence in another language, and with another sentence in its own. */
  readonly pairs: readonly { readonly language: string; readonly same: number; readonly other: number }[];
}

/** Search by meaning and what keeps it level (§11.3). One for each open vault. */
export interface Embeddings extends SemanticLane {
  /**
   * Embeds what is missing; may be interrupted and begun again at any time, by any number of processes. Throws `VaultError('invalid_request')` without a
   * model, and an Error when the model is unavailable; what was embedded until then stays.
   */
  embed(options?: EmbedOptions): Promise<EmbeddingReport>;
  /** Asks the model for a few sentences. Throws as `embed`. */
  tryOut(signal?: AbortSignal): Promise<EmbedderTrial>;
  /** Embeds changed documents as they come until the returned function is called; it resolves when no work is under way. */
  keepLevel(): () => Promise<void>;
  /** The model, its index, and how many documents may be embedded, as of now. */
  overview(): Promise<EmbeddingOverview>;
  /** What a person should know: the model is away or cannot be used, or too much is missing. */
  notices(): readonly string[];
}
