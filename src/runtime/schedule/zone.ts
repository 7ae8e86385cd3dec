import { ScheduleError } from './schedule.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** Offsets change at multiples of a quarter of an hour; between them one look is enough. */
const quarter = hour / 4;
const rememberedQuarters = 100_000;

/** The wall clock of a time zone. Instants and offsets in milliseconds. */
export interface Zone {
  /** What the wall clock is ahead of UTC at an instant. */
  offsetAt(instant: number): number;
  /** The first instant in (after, until] at which the offset is another than just before; null when there is none. */
  firstChange(after: number, until: number): number | null;
  /** The last such instant. */
  lastChange(after: number, until: number): number | null;
  /**
   * The instant at which the clock first shows `wall` (milliseconds as if the wall were UTC); for a time that the clock jumps over, the instant of the
   * jump. Never falls when `wall` grows.
   */
  firstShowing(wall: number): number;
}

const zones = new Map<string, Zone>();

/** The zone of an IANA name. Throws `ScheduleError` for one that this machine does not know. */
export const zoneNamed = (name: string): Zone => {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = createZone(name);
  zones.set(name, zone);
  return zone;
};

const createZone = (name: string): Zone => {
  const clock = clockOf(name);
  const remembered = new Map<number, number>();
  const offsetAt = (instant: number): number => {
    const at = Math.floor(instant / quarter);
    const before = remembered.get(at);
    if (before !== undefined) return before;
    if (remembered.size >= rememberedQuarters) remembered.clear();
    const offset = wallOf(clock, at * quarter) - at * quarter;
    remembered.set(at, offset);
    return offset;
  };
  const changeWithin = (after: number, until: number): number => {
    const before = offsetAt(after);
    let [low, high] = [after, until];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  };
  const firstChange = (after: number, until: number): number | null => {
    // No zone changes twice within a day and ends where it began.
    for (let from = after; from < until; from += day) {
      const to = Math.min(from + day, until);
      if (offsetAt(from) !== offsetAt(to)) return changeWithin(from, to);
    }
    return null;
  };
  const lastChange = (after: number, until: number): number | null => {
    for (let to = until; to > after; to -= day) {
      const from = Math.max(to - day, after);
      if (offsetAt(from) !== offsetAt(to)) return changeWithin(from, to);
    }
    return null;
  };
  return {
    offsetAt,
    firstChange,
    lastChange,
    firstShowing(wall) {
      // The clock is never further from UTC than this.
      const [from, to] = [wall - 26 * hour, wall + 26 * hour];
      const [early, late] = [offsetAt(from), offsetAt(to)];
      if (early === late) return wall - early;
      const change = changeWithin(from, to);
      if (wall < change + early) return wall - early;
      return wall < change + late ? change : wall - late;
    },
  };
};

const clockOf = (name: string): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new ScheduleError('timezone', `unknown time zone '${name}': use a name such as Europe/Madrid, America/Denver or UTC`);
  }
};

const wallOf = (clock: Intl.DateTimeFormat, instant: number): number => {
  const parts = Object.fromEntries(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day: dayOfMonth = 1, hour: hours = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, dayOfMonth, hours, minute, second);
};
