/** A vector of length one in the same direction. Throws for numbers that are no direction: none, not finite, or all zero. */
export const unitVector = (values: ArrayLike<number>): Float32Array => {
  if (values.length === 0) throw new Error('an empty vector');
  let squares = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    if (!Number.isFinite(value)) throw new Error('a vector with a number that is not finite');
    squares += value * value;
  }
  const norm = Math.sqrt(squares);
  if (norm === 0) throw new Error('a vector of zeros, which points nowhere');
  // Squares of finite numbers may still run over.
  if (!Number.isFinite(norm)) throw new Error('a vector whose numbers are too large');
  return Float32Array.from(values, value => value / norm);
};
