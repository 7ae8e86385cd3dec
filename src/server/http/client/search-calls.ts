import type { CallOptions, Transport } from './transport.ts';

/** What to look for beside the words. */
export interface SearchOptions extends CallOptions {
  /** Types, bare or qualified; a document of any of them fits. */
  readonly types?: readonly string[];
  /** Tags; a document must have all of them. */
  readonly tags?: readonly string[];
  readonly status?: string;
  /** BCP-47; `de` also stands for `de-AT`. */
  readonly language?: string;
  /** ISO 8601; documents of that time or later. */
  readonly since?: string;
  /** ISO 8601; documents from before that time. */
  readonly until?: string;
  /** A directory, or the beginning of paths. */
  readonly prefix?: string;
  /** Private documents, too; needs `search:private`. */
  readonly private?: boolean;
  /** Default 20, at most 200. */
  readonly limit?: number;
  /** From an earlier answer to the same question. */
  readonly cursor?: string;
  readonly facets?: boolean;
  /** Let feedback settle what is nearly equal; default true. */
  readonly feedback?: boolean;
}

type Portability = 'structural' | 'resource_bound' | 'tenant_private';

export interface SearchHit {
  readonly path: string;
  readonly title: string;
  readonly type: string | null;
  readonly portability: Portability;
  readonly language: string | null;
  readonly status: string | null;
  readonly timestamp: string | null;
  readonly hash: string;
  /** Comparable within one answer only. */
  readonly score: number;
  readonly evidence: { readonly lexical: number; readonly semantic: number | null };
  /** Plain text, and where in it the words stand, in code units. */
  readonly snippet: { readonly text: string; readonly ranges: readonly { readonly start: number; readonly end: number }[] };
}

export interface FacetCount {
  readonly value: string;
  readonly count: number;
}

export interface SearchReply {
  readonly query: string;
  /** `some`: no document has all the words. */
  readonly words: 'all' | 'some';
  readonly total: number;
  readonly hits: readonly SearchHit[];
  readonly facets: {
    readonly type: readonly FacetCount[];
    readonly tag: readonly FacetCount[];
    readonly status: readonly FacetCount[];
    readonly language: readonly FacetCount[];
  } | null;
  readonly cursor: string | null;
  /** Why the answer is as it is. */
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly semantic:
    | { readonly state: 'off' }
    | { readonly state: 'reindex_needed'; readonly model: string; readonly reason: string }
    | { readonly state: 'ready'; readonly model: string; readonly dimension: number; readonly missing: number };
}

export interface GraphReply {
  readonly path: string;
  readonly nodes: readonly {
    readonly path: string;
    readonly title: string;
    readonly type: string | null;
    readonly portability: Portability;
    readonly identity: string;
    /** Steps from the document that was asked for. */
    readonly distance: number;
  }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string | null;
    readonly kind: 'relation' | 'wiki' | 'markdown';
    readonly name: string | null;
    readonly target: string;
    readonly state: 'resolved' | 'ambiguous' | 'unresolved';
    readonly candidates: readonly string[];
  }[];
  readonly more: boolean;
}

/** Finding documents. Whatever is refused is thrown as `SheafError`. */
export interface SearchCalls {
  /** Documents with the words, and near in meaning where the host has a model; best first. */
  search(query: string, options?: SearchOptions): Promise<SearchReply>;
  /** The documents around one, and the relations and links between them. */
  graph(
    path: string,
    options?: CallOptions & { readonly depth?: number; readonly limit?: number; readonly private?: boolean },
  ): Promise<GraphReply>;
}

export const createSearchCalls = (transport: Transport): SearchCalls => ({
  search: (query, { signal, types, tags, ...rest } = {}) =>
    transport.call({
      path: '/v1/search',
      query: { q: query, ...texts({ type: types?.join(','), tag: tags?.join(','), ...rest }) },
      repeatable: true,
      signal,
    }),
  graph: (path, { signal, ...rest } = {}) =>
    transport.call({ path: '/v1/graph', query: { path, ...texts(rest) }, repeatable: true, signal }),
});

const texts = (values: Readonly<Record<string, string | number | boolean | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
