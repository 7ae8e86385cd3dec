import { Session } from 'node:inspector/promises';

/** Which parts of some sources the inputs reach, as V8 sees its blocks. */
export interface BlockCoverage {
  /** How many characters of source ran since the last call that were never taken before; `take` remembers them. */
  peek(): Promise<number>;
  take(): Promise<number>;
  /** Characters of source that ran, and that there are. */
  totals(): { readonly reached: number; readonly all: number };
  close(): Promise<void>;
}

/** Watches the sources whose address matches; everything else in the process runs as ever. */
export const watchBlocks = async (sources: RegExp): Promise<BlockCoverage> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const reached = new Map<string, Uint8Array>();
  const count = async (remember: boolean): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => sources.test(url))
      .reduce((fresh, { scriptId, functions }) => {
        const ran = paint(functions.flatMap(({ ranges }) => ranges));
        const known = grown(reached.get(scriptId), ran.length);
        if (remember) reached.set(scriptId, known);
        return fresh + addTo(known, ran, remember);
      }, 0);
  };
  return {
    peek: () => count(false),
    take: () => count(true),
    totals() {
      const maps = [...reached.values()];
      return {
        reached: maps.reduce((sum, map) => sum + map.reduce((ones, one) => ones + one, 0), 0),
        all: maps.reduce((sum, map) => sum + map.length, 0),
      };
    },
    async close() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
};

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** A 1 for each character that ran. Outer ranges come before the ones in them, whose count is the truer one. */
const paint = (ranges: readonly Range[]): Uint8Array => {
  const ran = new Uint8Array(ranges.reduce((size, { endOffset }) => Math.max(size, endOffset), 0));
  for (const { startOffset, endOffset, count } of ranges) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  return ran;
};

const grown = (known: Uint8Array | undefined, size: number): Uint8Array => {
  if (known !== undefined && known.length >= size) return known;
  const larger = new Uint8Array(size);
  larger.set(known ?? []);
  return larger;
};

const addTo = (known: Uint8Array, ran: Uint8Array, remember: boolean): number => {
  let fresh = 0;
  for (let offset = 0; offset < ran.length; offset++) {
    if (ran[offset] === 0 || known[offset] === 1) continue;
    fresh += 1;
    if (remember) known[offset] = 1;
  }
  return fresh;
};
