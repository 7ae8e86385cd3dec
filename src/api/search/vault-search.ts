import type { PortabilityClass } from '#registry';
import type { Facets, SemanticLaneState, Snippet } from '#semantic';

export interface SearchOptions {
  /** Types, bare or qualified; a document of any of them fits. */
  readonly types?: readonly string[];
  /** Tags, with or without `#`; a document must have all of them. */
  readonly tags?: readonly string[];
  readonly status?: string;
  /** BCP-47; `de` also stands for `de-AT`. */
  readonly language?: string;
  /** ISO 8601; documents whose `timestamp` is at or after it. */
  readonly since?: string;
  /** ISO 8601; documents whose `timestamp` is before it. */
  readonly until?: string;
  /** A directory, or the beginning of paths. */
  readonly prefix?: string;
  /** Also documents that are not `structural`, and Markdown of no known type (§11.9). Default false. */
  readonly private?: boolean;
  /** Default 20, at most 200. */
  readonly limit?: number;
  /** From an earlier answer to the same question. */
  readonly cursor?: string;
  /** Count what was found by type, tag, status and language. Default false. */
  readonly facets?: boolean;
  /** Let `feedback` blocks settle what is nearly equal (§11.6). Default true. */
  readonly feedback?: boolean;
  /** Who asks may read these types only, null standing for Markdown of no known type. */
  readonly mayRead?: (type: string | null) => boolean;
  readonly signal?: AbortSignal;
}

export interface SearchHit {
  readonly path: string;
  readonly title: string;
  /** Qualified; null for Markdown of no known type. */
  readonly type: string | null;
  readonly portability: PortabilityClass;
  readonly language: string | null;
  readonly status: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string | null;
  readonly hash: string;
  /** 1 for what stands first everywhere, less below; comparable within one answer only. */
  readonly score: number;
  /** What the score was made of (§11.9): how well the words fit, 0 when none occurs; nearness in meaning, −1 to 1, or null. */
  readonly evidence: { readonly lexical: number; readonly semantic: number | null };
  readonly snippet: Snippet;
}

export const searchReasons = [
  'empty_query',
  'only_exclusions',
  'query_cut',
  'some_words',
  'private_left_out',
  'cross_language_unavailable',
  'reindex_needed',
  'vectors_missing',
  'model_unreachable',
] as const;

/** Why an answer is as it is. */
export interface SearchReason {
  readonly code: (typeof searchReasons)[number];
  readonly message: string;
}

export interface SearchReply {
  readonly query: string;
  /** `all` words occur in each hit, or `some` because no document has all. */
  readonly words: 'all' | 'some';
  /** Everything found, of which `hits` is a page. */
  readonly total: number;
  readonly hits: readonly SearchHit[];
  readonly facets: Facets | null;
  /** For the next page; null when there is none. */
  readonly cursor: string | null;
  readonly reasons: readonly SearchReason[];
  readonly semantic: SemanticLaneState;
}

export interface GraphOptions {
  /** How many steps from the document; 1 to 3, default 1. */
  readonly depth?: number;
  /** How many edges at most; default 200, at most 1000. */
  readonly limit?: number;
  /** Also documents that are not `structural`. Default false. */
  readonly private?: boolean;
  readonly mayRead?: (type: string | null) => boolean;
}

export interface GraphReplyNode {
  readonly path: string;
  readonly title: string;
  readonly type: string | null;
  readonly portability: PortabilityClass;
  readonly identity: string;
  /** Steps from the document that was asked for. */
  readonly distance: number;
}

export interface GraphReplyEdge {
  readonly from: string;
  /** Null unless the edge leads to one document. */
  readonly to: string | null;
  readonly kind: 'relation' | 'wiki' | 'markdown';
  readonly name: string | null;
  /** As it is written. */
  readonly target: string;
  readonly state: 'resolved' | 'ambiguous' | 'unresolved';
  /** What an ambiguous edge may mean. */
  readonly candidates: readonly string[];
}

export interface GraphReply {
  readonly path: string;
  readonly nodes: readonly GraphReplyNode[];
  readonly edges: readonly GraphReplyEdge[];
  /** Whether edges were left out to keep the limit. */
  readonly more: boolean;
}
