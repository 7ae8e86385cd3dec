/** One kept content, as the store lists it. */
export interface KeptContent {
  /** `sha256:<hex>`. */
  readonly hash: string;
  readonly bytes: number;
  /** When it was last written, in milliseconds since the epoch. */
  readonly keptAt: number;
}

/** A content on its way into the store; its hash is compared when it is read. */
export interface Content {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/**
 * The contents of past versions by their hash (§8: the log names them, nothing else keeps them). Best effort by design: a content that is gone or damaged
 * is missing, and whoever asks says so; no commit waits for a content to be durable.
 */
export interface ContentStore {
  /** Takes contents to keep; resolves when there is room for more, not when they are written. What cannot be written becomes a problem. */
  keep(contents: readonly Content[]): Promise<void>;
  /** The bytes with this hash, compared with it; null when there are none or they are damaged. */
  find(hash: string): Promise<Uint8Array | null>;
  /** Everything that is kept, in any order. */
  list(): AsyncIterable<KeptContent>;
  /** Forgets a content; one that is not there is forgotten already. */
  remove(hash: string): Promise<void>;
  /** Removes what writers that died left half written. */
  sweep(): Promise<void>;
  /** Resolves when everything handed over is written or a problem. */
  flush(): Promise<void>;
  /** What could not be kept and why; each problem once. */
  problems(): readonly string[];
}

const hashForm = /^sha256:[0-9a-f]{64}$/;

/** Whether a text can name a content; a log from elsewhere may hold anything in its place. */
export const isContentHash = (hash: unknown): hash is string => typeof hash === 'string' && hashForm.test(hash);
