export { createGraphProjection } from './graph/graph-projection.ts';
export { type DocumentGraph, type GraphEdge, type GraphNode, readGraph } from './graph/read-graph.ts';
export { baselineProjection, type RecordSource, semanticRecord } from './records/build-record.ts';
export { type DocumentFacts, documentFacts, type ReadFile } from './records/document-facts.ts';
export { createRecordLookup, nameKey, type RecordLookup } from './records/record-lookup.ts';
export { surfaceText } from './records/surface-text.ts';
export type { SemanticHit, SemanticLane, SemanticLaneState } from './semantic-lane.ts';
export type { SemanticEdge, SemanticRecord } from './semantic-record.ts';
export { searchTokens } from './tokens/search-tokens.ts';
