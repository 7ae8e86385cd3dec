export type { Embedder, EmbeddingPurpose } from '#adapter-contracts';
