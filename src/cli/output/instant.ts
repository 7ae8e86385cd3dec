import { UsageError } from '../cli-error.ts';

const units = [
  ['day', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** How far an instant is from now, in words: `just now`, `5 min ago`, `in 40 s`, `3 days ago`. */
export const relativeTime = (instant: string, now: Date): string => {
  const seconds = Math.round((now.getTime() - Date.parse(instant)) / 1000);
  if (Number.isNaN(seconds)) return instant;
  const size = Math.abs(seconds);
  if (size < 2) return 'just now';
  const [unit, length] = units.find(([, one]) => size >= one) ?? ['s', 1];
  const count = Math.floor(size / length);
  const words = `${count} ${unit === 'day' && count !== 1 ? 'days' : unit}`;
  return seconds > 0 ? `${words} ago` : `in ${words}`;
};

/** An instant without its fraction of a second, still ISO 8601. */
export const shortInstant = (instant: string): string => instant.replace(/\.\d+(?=Z$)/, '');

const lengths: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Reads `--since`: an ISO 8601 date or instant, or a span back from now such as `30m`, `12h`, `7d`, `2w`. */
export const parseSince = (text: string, now: Date): Date => {
  const span = /^(\d+)([smhdw])$/.exec(text);
  if (span !== null) return new Date(now.getTime() - Number(span[1]) * (lengths[span[2] ?? 's'] ?? 1) * 1000);
  const instant = /^\d{4}-\d{2}-\d{2}([T ].*)?$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(instant.getTime())) {
    throw new UsageError(`'${text}' is not a time: give an ISO 8601 date or instant (2026-05-16T14:00:00Z) or a span such as 30m, 12h, 7d`);
  }
  return instant;
};
