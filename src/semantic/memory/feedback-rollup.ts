import type { CanonicalEvent } from '#adapter-contracts';

/** The `feedback` block (§11.5). */
interface FeedbackBlock {
  /** 0 to 1, the mean of all samples, with two digits. */
  readonly score: number;
  readonly positive: number;
  readonly negative: number;
  readonly samples: number;
  readonly last_feedback: string;
}

/** One signal. */
export interface FeedbackSample {
  /** 0 (bad) to 1 (good). */
  readonly score: number;
  readonly timestamp: string;
}

/** From here on a signal is for, up to there against; between them it only counts (readings: feedback). */
const positiveFrom = 0.6;
const negativeUpTo = 0.4;

/**
 * A score as it counts: 0 (bad) to 1 (good) as it is, −1 for a thumb down as 0. Null for anything else: a number of another scale cannot be told from a
 * good one (readings: feedback).
 */
export const normalizedScore = (score: unknown): number | null => {
  if (typeof score !== 'number' || !(score >= -1 && score <= 1)) return null;
  return Math.max(score, 0);
};

/** The feedback that an event gives (§11.5), or null when it gives none that counts. */
export const feedbackOf = (
  event: CanonicalEvent,
): (FeedbackSample & { readonly subject: string; readonly record: number | null }) | null => {
  const { action, payload, subject, timestamp } = event;
  if (action !== 'event' || typeof payload !== 'object' || payload === null) return null;
  const { event_type: type, score: given, record } = payload as Readonly<Record<string, unknown>>;
  const score = type === 'feedback' ? normalizedScore(given) : null;
  if (score === null) return null;
  return { subject, score, timestamp, record: Number.isSafeInteger(record) ? (record as number) : null };
};

/** The rollup of a document's samples; null when there is none. */
export const feedbackBlock = (samples: readonly FeedbackSample[]): FeedbackBlock | null => {
  if (samples.length === 0) return null;
  let [sum, positive, negative, last] = [0, 0, 0, ''];
  for (const { score, timestamp } of samples) {
    sum += score;
    if (score >= positiveFrom) positive += 1;
    if (score <= negativeUpTo) negative += 1;
    if (timestamp > last) last = timestamp;
  }
  return {
    score: Math.round((sum / samples.length) * 100) / 100,
    positive,
    negative,
    samples: samples.length,
    last_feedback: last.replace(/\.\d+Z$/, 'Z'),
  };
};
