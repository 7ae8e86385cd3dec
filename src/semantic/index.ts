export { createEmbeddings } from './embedding/create-embeddings.ts';
export type { Embeddings } from './embedding/embeddings.ts';
export { createGraphProjection } from './graph/graph-projection.ts';
export { type DocumentGraph, type GraphEdge, type GraphNode, readGraph } from './graph/read-graph.ts';
export { checkLinks, type LinkFault, type LinkFinding, type WhereTo } from './links/check-links.ts';
export { indexPages, isGeneratedPage } from './links/index-page.ts';
export { createLinkMap, type LinkMap } from './links/link-map.ts';
export { retarget } from './links/link-targets.ts';
export { type LinkedDocument, linkedDocument, type PlacedLink } from './links/linked-document.ts';
export { createMove, type Move, movedLinks } from './links/move-links.ts';
export { createMovedPaths } from './links/moved-paths.ts';
export { rewriteFile } from './links/rewrite-document.ts';
export { createLinkSuggester, type LinkSuggestion, type SuggestLinks, withSuggestedLinks } from './links/suggest-links.ts';
export { byPaths, compareMemories, type MemoryFinding } from './memory/compare-memories.ts';
export { type ConflictFacts, conflictDocument, conflictFacts, conflictFields, pairKey } from './memory/conflict-document.ts';
export { type FeedbackSample, feedbackBlock, feedbackOf, normalizedScore } from './memory/feedback-rollup.ts';
export { knownConflicts } from './memory/known-conflicts.ts';
export { type MemoryFacts, memoryFacts } from './memory/memory-facts.ts';
export {
  creditedPaths,
  creditsOf,
  formatRecord,
  type NewRecord,
  type ProvenanceEntry,
  type ProvenanceRole,
  recordProvenance,
} from './memory/provenance.ts';
export { similarMemories } from './memory/similar-memories.ts';
export { baselineProjection, recordSource } from './records/build-record.ts';
export { type DocumentFacts, documentFacts } from './records/document-facts.ts';
export {
  chooseConvention,
  concernsLanguage,
  conventionPaths,
  type LanguageConvention,
  readConvention,
  requireLanguage,
} from './rendering/language-convention.ts';
export { type RenderedDocument, renderDocument } from './rendering/render-document.ts';
export { countFacets, type FacetCount, type Facets } from './search/facets.ts';
export { fuseHits, type RankedHit, rankLexical } from './search/fuse.ts';
export { documentsAt, indexedTypes, pathsInScope, searchWords } from './search/lexical-search.ts';
export { type ParsedQuery, parseQuery } from './search/parse-query.ts';
export { createSearchProjection } from './search/search-projection.ts';
export type { SearchScope } from './search/search-scope.ts';
export { makeSnippet, type Snippet } from './search/snippet.ts';
export type { SemanticHit, SemanticLane, SemanticLaneState } from './semantic-lane.ts';
export { wordsOfText } from './tokens/search-tokens.ts';
