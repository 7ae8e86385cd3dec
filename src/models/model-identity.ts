/** What else decides about the vectors of a model. */
interface VectorOptions {
  readonly query_prefix: string;
  readonly document_prefix: string;
  readonly dimension?: number | null;
  readonly pooling?: string;
}

/**
 * The identity that is recorded with every vector: the model's name and, behind a question mark, each option that makes other vectors of the same texts.
 *
 * @example modelIdentity('e5', { query_prefix: 'query: ', document_prefix: 'passage: ' }) // 'e5?document_prefix=passage%3A+&query_prefix=query%3A+'
 */
export const modelIdentity = (name: string, options: VectorOptions): string => {
  const told = Object.entries({
    dimension: options.dimension ?? '',
    document_prefix: options.document_prefix,
    pooling: options.pooling === 'mean' ? '' : (options.pooling ?? ''),
    query_prefix: options.query_prefix,
  }).filter(([, value]) => value !== '');
  return told.length === 0
    ? name
    : `${name}?${new URLSearchParams(told.map(([key, value]): [string, string] => [key, String(value)])).toString()}`;
};
