import type { ProjectionView } from '#projections';
import {
  countFacets,
  documentsAt,
  type Facets,
  fuseHits,
  indexedTypes,
  type ParsedQuery,
  pathsInScope,
  type RankedHit,
  rankLexical,
  type SearchScope,
  type SemanticHit,
  type SemanticLane,
  type SemanticLaneState,
  searchWords,
} from '#semantic';

export interface RankRequest {
  readonly query: ParsedQuery;
  /** As it was typed; what a model is asked. */
  readonly text: string;
  readonly scope: Omit<SearchScope, 'readable'>;
  readonly mayRead: ((type: string | null) => boolean) | null;
  readonly offset: number;
  readonly limit: number;
  readonly feedback: boolean;
  readonly facets: boolean;
  readonly state: SemanticLaneState;
  readonly signal: AbortSignal | undefined;
}

export interface RankedPage {
  readonly words: 'all' | 'some';
  readonly total: number;
  readonly hits: readonly RankedHit[];
  readonly facets: Facets | null;
  readonly unreachable: boolean;
}

/** How many documents are near enough to be an answer by meaning. */
const nearestDocuments = 100;

/** Both lists are fused at least this far down, so that the pages of one question follow from one order. */
const fusedWindow = 500;

/** One page of the ranked documents, from an index that is level. Whatever is counted was filtered by rights first. */
export const rankDocuments = async (projections: ProjectionView, lane: SemanticLane | null, request: RankRequest): Promise<RankedPage> => {
  const { query, limit, offset, feedback } = request;
  const scope = await readableScope(projections, request);
  const near = await nearest(projections, lane, request, scope);
  return projections.read(db => {
    const fused = near.hits.length > 0;
    const window = fused ? { offset: 0, limit: Math.max(fusedWindow, offset + limit) } : { offset, limit };
    const lexical = searchWords(db, { query, scope, feedback: feedback && !fused, ...window });
    const words = lexical.mode === 'all' ? 'all' : 'some';
    const also = near.hits.map(hit => hit.path);
    const facets = request.facets ? countFacets(db, { query, mode: lexical.mode, scope, also }) : null;
    const rest = { words, facets, unreachable: near.unreachable } as const;
    if (!fused) return { ...rest, total: lexical.total, hits: rankLexical(lexical.hits, offset, query.words.length) };
    const documents = new Map(documentsAt(db, also, scope).map(document => [document.path, document]));
    const semantic = near.hits.flatMap(({ path, similarity }) => {
      const document = documents.get(path);
      return document === undefined ? [] : [{ document, similarity }];
    });
    const ranked = fuseHits(lexical.hits, semantic, { words: query.words.length, feedback });
    const total = Math.max(ranked.length, lexical.total);
    return { ...rest, total, hits: ranked.slice(offset, offset + limit) };
  });
};

const readableScope = async (projections: ProjectionView, { scope, mayRead }: RankRequest): Promise<SearchScope> =>
  mayRead === null ? scope : { ...scope, readable: (await projections.read(indexedTypes)).filter(type => mayRead(type)) };

const nearest = async (
  projections: ProjectionView,
  lane: SemanticLane | null,
  { text, query, state, signal }: RankRequest,
  scope: SearchScope,
): Promise<{ readonly hits: readonly SemanticHit[]; readonly unreachable: boolean }> => {
  if (lane === null || state.state !== 'ready' || query.words.length === 0) return { hits: [], unreachable: false };
  const paths = await projections.read(db => pathsInScope(db, scope));
  try {
    const allowed = (path: string): boolean => paths.has(path);
    const hits = await lane.nearest(text, { limit: nearestDocuments, allowed, ...(signal === undefined ? {} : { signal }) });
    return { hits: hits.filter(hit => hit.similarity > 0 && allowed(hit.path)), unreachable: false };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { hits: [], unreachable: true };
  }
};
