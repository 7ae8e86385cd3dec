import { VaultError } from '#errors';
import { type ProjectionView, readSaved, type ScanSource, scanBytes } from '#projections';
import type { Registry } from '#registry';
import {
  type DocumentFacts,
  documentFacts,
  makeSnippet,
  type ParsedQuery,
  parseQuery,
  type RankedHit,
  type SemanticLane,
  type SemanticLaneState,
} from '#semantic';
import { type RankedPage, type RankRequest, rankDocuments } from './rank-documents.ts';
import { readSearchCursor, writeSearchCursor } from './search-cursor.ts';
import { reasonsFor } from './search-reasons.ts';
import { searchScopeOf } from './search-scope-of.ts';
import type { SearchHit, SearchOptions, SearchReply } from './vault-search.ts';

export interface SearchParts extends ScanSource {
  readonly registry: Registry;
  readonly projections: ProjectionView;
  /** Search by meaning, where an embedding model is configured. */
  readonly lane: SemanticLane | null;
}

const defaultLimit = 20;
export const mostHits = 200;

/** How often an answer is made again because a file had changed since the index saw it; after that it is enough that the question still fits them. */
const mostAttempts = 3;

/** Makes `vault.search`: levels the index, ranks, and shows only documents that stand on the disk as the index knows them (§11.3). */
export const createVaultSearch =
  (parts: SearchParts) =>
  async (query: string, options: SearchOptions = {}): Promise<SearchReply> => {
    const request = await readRequest(parts, query, options);
    const none: RankedPage = { words: 'all', total: 0, hits: [], facets: options.facets === true ? noFacets : null, unreachable: false };
    const { page, hits, next } = request.query.words.length === 0 ? { page: none, hits: [], next: null } : await livePage(parts, request);
    return {
      query: request.text,
      words: page.words,
      total: page.total,
      hits,
      facets: page.facets,
      cursor: next === null ? null : writeSearchCursor(next, questionOf(query, options)),
      reasons: reasonsFor({
        query: request.query,
        words: page.words,
        found: hits.length,
        private: request.scope.private,
        state: request.state,
        unreachable: page.unreachable,
      }),
      semantic: request.state,
    };
  };

const noFacets = { type: [], tag: [], status: [], language: [] };

const readRequest = async ({ registry, projections, lane }: SearchParts, query: string, options: SearchOptions): Promise<RankRequest> => {
  const limit = options.limit ?? defaultLimit;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > mostHits) throw invalidLimit();
  const state = lane === null ? ({ state: 'off' } as const) : await levelState(lane, projections, options.signal);
  return {
    query: parseQuery(query),
    text: query.slice(0, longestEcho).toWellFormed(),
    scope: searchScopeOf(options, registry),
    mayRead: options.mayRead ?? null,
    offset: readSearchCursor(options.cursor, questionOf(query, options)),
    limit,
    feedback: options.feedback !== false,
    facets: options.facets === true,
    state,
    signal: options.signal,
  };
};

/** Where the vectors stand, counted on a level index; without a model there is nothing to count. */
const levelState = async (lane: SemanticLane, projections: ProjectionView, signal: AbortSignal | undefined): Promise<SemanticLaneState> => {
  const state = await lane.state();
  if (state.state === 'off') return state;
  await projections.level(signal === undefined ? {} : { signal });
  return lane.state();
};

/** How much of a question is repeated in the answer and shown to a model. */
const longestEcho = 2000;

/** Everything that decides the order of an answer; pages of one question share it. */
const questionOf = (query: string, options: SearchOptions): unknown => {
  const { types, tags, status, language, since, until, prefix, feedback } = options;
  return [query, { types, tags, status, language, since, until, prefix, feedback, private: options.private }];
};

const invalidLimit = (): VaultError<'invalid_request'> => {
  const issue = `a whole number from 1 to ${mostHits}`;
  return new VaultError('invalid_request', { issues: [{ field: 'limit', issue }] }, `limit: ${issue}.`);
};

interface LivePage {
  readonly page: RankedPage;
  readonly hits: readonly SearchHit[];
  /** Where the next page begins. */
  readonly next: number | null;
}

/** A page of documents that are there now. A file that changed under the index is brought level and the question asked again. */
const livePage = async (parts: SearchParts, request: RankRequest): Promise<LivePage> => {
  for (let attempt = 1; ; attempt += 1) {
    await parts.projections.level(request.signal === undefined ? {} : { signal: request.signal });
    const page = await rankDocuments(parts.projections, parts.lane, request);
    const hits: SearchHit[] = [];
    const stale: string[] = [];
    for (const hit of page.hits) {
      const live = await liveHit(parts, request.query, hit, attempt === mostAttempts);
      if (live === null) stale.push(hit.path);
      else hits.push(live);
    }
    const end = request.offset + page.hits.length;
    const next = end < page.total ? end : null;
    if (stale.length === 0) return { page, hits, next };
    parts.projections.touched(stale);
    if (attempt < mostAttempts) continue;
    // Somebody writes faster than we read. The rest of the page is filled with what stands behind it.
    if (next === null) return { page: { ...page, total: page.total - stale.length }, hits, next };
    const rest = await livePage(parts, { ...request, offset: end, limit: stale.length });
    return { page, hits: [...hits, ...rest.hits], next: rest.next };
  }
};

/** The hit with what stands there now. With `lenient` it may be a newer text, as long as it is of the same kind and holds words of the question. */
const liveHit = async (parts: SearchParts, query: ParsedQuery, hit: RankedHit, lenient: boolean): Promise<SearchHit | null> => {
  const stored = await readSaved(parts, hit.path);
  if (!('bytes' in stored) || (stored.hash !== hit.hash && !lenient)) return null;
  const scanned = scanBytes(hit.path, stored);
  if (scanned.kind === 'reported') return null;
  const facts = documentFacts(scanned, parts.registry);
  const { body, description } = facts;
  if (stored.hash !== hit.hash && !stillFits(facts, query, hit)) return null;
  const { approval: _, timestamp, ...shown } = hit;
  return {
    ...shown,
    hash: stored.hash,
    timestamp: timestamp === null ? null : new Date(timestamp).toISOString(),
    snippet: makeSnippet([body, description], query.words),
  };
};

/** What decided who may see a hit must not have changed; a title that did shows with the next question. */
const stillFits = (facts: DocumentFacts, { words }: ParsedQuery, hit: RankedHit): boolean => {
  const decisive = ['type', 'portability', 'status', 'language'] as const;
  if (decisive.some(member => facts[member] !== hit[member])) return false;
  const { title, handle, aliases, tags, description, body } = facts;
  return makeSnippet([[title, handle, ...aliases, ...tags].join('\n'), description, body], words).ranges.length > 0;
};
