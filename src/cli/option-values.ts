import { InvalidArgumentError } from 'commander';

/** A number of seconds greater than 0; the store knows the largest. */
export const parseSeconds = (text: string): number => {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('give a number of seconds greater than 0');
};

/** A whole number from 1 to `most`; `wanted` says what to give when it is none. */
export const parseWhole =
  (most: number, wanted = `a whole number from 1 to ${most}`) =>
  (text: string): number => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`give ${wanted}`);
  };

/** Collects an option that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** When something ends: an ISO 8601 instant, or a span from now such as 12h or 30d. */
export const parseExpiry = (text: string): string => {
  const span = /^(\d+)([smhdw])$/.exec(text);
  const seconds = span === null ? 0 : Number(span[1]) * ({ s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[span[2] ?? 's'] ?? 1);
  const instant = span === null ? new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : Number.NaN) : new Date(Date.now() + seconds * 1000);
  if (Number.isNaN(instant.getTime())) throw new InvalidArgumentError('give an ISO 8601 instant, or a span such as 12h or 30d');
  return instant.toISOString();
};
