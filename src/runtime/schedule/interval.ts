import { type Schedule, ScheduleError } from './schedule.ts';

/**
 * A fixed span, counted from an anchor that never moves (readings: interval schedules), so that everybody finds the same instants: `30s`, `15m`, `2h`,
 * `1d`, or an ISO 8601 duration of weeks, days, hours, minutes and seconds. Throws `ScheduleError`.
 *
 * @param anchor ISO 8601; one of the instants. Default 1970-01-01T00:00:00Z.
 */
export const intervalSchedule = (span: string, anchor?: string): Schedule => {
  const length = parseSpan(span);
  // Instants are told to the second.
  const origin = anchor === undefined ? 0 : Math.floor(Date.parse(anchor) / second) * second;
  if (Number.isNaN(origin)) throw new ScheduleError('x_anchor', `'${anchor}' is no ISO 8601 time`);
  return {
    next: after => origin + (Math.floor((after - origin) / length) + 1) * length,
    previous: before => origin + (Math.ceil((before - origin) / length) - 1) * length,
  };
};

const second = 1000;
const units: Readonly<Record<string, number>> = {
  s: second,
  m: 60 * second,
  h: 3600 * second,
  d: 86_400 * second,
  w: 604_800 * second,
};

const parseSpan = (span: string): number => {
  const length = shortSpan(span) ?? isoSpan(span);
  if (length === null) {
    const calendar = /^P(?:\d+[YM])/.test(span) ? '; months and years differ in length: use a cron expression for them' : '';
    throw new ScheduleError('interval', `'${span}' is no span: write 30s, 15m, 2h, 1d or an ISO 8601 duration such as PT90M${calendar}`);
  }
  if (!Number.isSafeInteger(length) || length < second)
    throw new ScheduleError('interval', `'${span}' is shorter than a second or too long`);
  return length;
};

const shortSpan = (span: string): number | null => {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(span) ?? [];
  return count === undefined ? null : Number(count) * (units[unit] ?? 0);
};

const isoSpan = (span: string): number | null => {
  const parts = /^P(?=.)(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/.exec(span);
  if (parts === null) return null;
  const [, weeks, days, hours, minutes, seconds] = parts;
  const terms: readonly (readonly [string | undefined, string])[] = [
    [weeks, 'w'],
    [days, 'd'],
    [hours, 'h'],
    [minutes, 'm'],
    [seconds, 's'],
  ];
  return terms.reduce((sum, [count, unit]) => sum + Number(count ?? 0) * (units[unit] ?? 0), 0);
};
