/** So many on average, and so many at once after a pause. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** How much each of many keys may still take. */
export interface RateLimits {
  /** Takes one and answers 0, or takes nothing and answers after how many seconds there will be one. */
  take(key: string): number;
}

/** More keys than that are swept of those that are full again; forgetting a full one changes nothing. */
const sweepAt = 10_000;

/**
 * A bucket per key that fills steadily. Kept in memory and looked at before the body: the framework's plugin counts in fixed windows, which lets through
 * twice the limit around each edge, and guards only routes that are added after it has loaded.
 */
export const createRateLimits = ({ perSecond, burst }: RateLimit, now: () => number = () => performance.now()): RateLimits => {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const filled = (bucket: { tokens: number; at: number }, at: number): number =>
    Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond);
  const sweep = (at: number): void => {
    for (const [key, bucket] of buckets) if (filled(bucket, at) >= burst) buckets.delete(key);
    // Under attack from many addresses nothing is full; memory stays bounded all the same.
    if (buckets.size >= sweepAt) buckets.clear();
  };
  const take = (key: string): number => {
    const at = now();
    const bucket = buckets.get(key) ?? { tokens: burst, at };
    const tokens = filled(bucket, at);
    if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / perSecond));
    if (!buckets.has(key) && buckets.size >= sweepAt) sweep(at);
    buckets.set(key, { tokens: tokens - 1, at });
    return 0;
  };
  return { take };
};
