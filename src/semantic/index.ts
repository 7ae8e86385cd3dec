export type { SemanticHit, SemanticLane, SemanticLaneState } from './semantic-lane.ts';
export type { SemanticEdge, SemanticRecord } from './semantic-record.ts';
