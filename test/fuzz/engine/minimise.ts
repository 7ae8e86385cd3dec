/** Whether an input still breaks the law. */
type Breaks = (input: Buffer) => Promise<boolean>;

const without = (input: Buffer, start: number, end: number): Buffer => Buffer.concat([input.subarray(0, start), input.subarray(end)]);

/** A smaller input that still `breaks`: pieces of half the length, a quarter, … one byte are left out for as long as any can be. */
export const minimise = async (input: Buffer, breaks: Breaks, mostTries = 2000): Promise<Buffer> => {
  let smallest = input;
  let tries = 0;
  for (let size = Math.ceil(input.length / 2); size >= 1 && tries < mostTries; ) {
    let smaller = false;
    for (let start = 0; start < smallest.length && tries < mostTries; ) {
      const candidate = without(smallest, start, Math.min(smallest.length, start + size));
      tries += 1;
      if (await breaks(candidate)) {
        smallest = candidate;
        smaller = true;
      } else start += size;
    }
    if (!smaller || size > 1) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return smallest;
};
