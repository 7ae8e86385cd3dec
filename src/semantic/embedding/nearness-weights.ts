/** A list shorter than this has no noise that could be told from its answers. */
const fewest = 10;

/**
 * What each of the nearest documents counts, 1 for the nearest down to 0, from their similarities in falling order. A model gives every document some
 * nearness, many models a high one; what most of the list has anyway is noise. Without that, any common word would lift a document that is far in
 * meaning over the one that is nearest and has no word of the question, being in another language.
 */
export const nearnessWeights = (similarities: readonly number[]): readonly number[] => {
  const [best = 0] = similarities;
  const noise = similarities.length < fewest ? 0 : (similarities[Math.floor(similarities.length / 2)] ?? 0);
  return similarities.map(similarity => (best <= noise ? 1 : Math.max(0, (similarity - noise) / (best - noise))));
};
