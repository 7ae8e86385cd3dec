// What a year of schedules owes, counted minute by minute from the wall clock, without anything of the planner.

export type PlainTrigger = { readonly id: string; readonly policy: 'skip' | 'run_once' | 'catch_up'; readonly zone: string } & (
  | { readonly kind: 'interval'; readonly hours: number; readonly anchor: number }
  /** An empty list stands for every value. */
  | {
      readonly kind: 'cron';
      readonly minutes: readonly number[];
      readonly hours: readonly number[];
      readonly days: readonly number[];
      readonly months: readonly number[];
    }
);

const minute = 60_000;

/** The instants that get a task, given when somebody looked. */
export const dueInYear = (
  trigger: PlainTrigger,
  { start, looks, grace }: { readonly start: number; readonly looks: readonly number[]; readonly grace: number },
): readonly number[] => {
  const instants = instantsOf(trigger, start, looks.at(-1) ?? start);
  const made: number[] = [];
  let next = 0;
  for (const now of looks) {
    const open: number[] = [];
    while (next < instants.length && instants[next]! <= now) {
      open.push(instants[next]!);
      next += 1;
    }
    const late = open.filter(at => at < now - grace);
    const onTime = open.filter(at => at >= now - grace);
    if (trigger.policy === 'catch_up') made.push(...late);
    if (trigger.policy === 'run_once') made.push(...late.slice(-1));
    made.push(...onTime);
  }
  return made;
};

const instantsOf = (trigger: PlainTrigger, after: number, until: number): readonly number[] => {
  if (trigger.kind === 'interval') {
    const span = trigger.hours * 60 * minute;
    const found: number[] = [];
    for (let at = trigger.anchor - Math.ceil((trigger.anchor - after) / span) * span - span; at <= until; at += span)
      if (at > after) found.push(at);
    return found;
  }
  return cronInstants(trigger, after, until);
};

interface Wall {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly serial: number;
}

const clocks = new Map<string, readonly Wall[]>();

/** What the clock on the wall shows at every minute from `from` on; the offset is asked of the system each quarter of an hour. */
const wallsOf = (zone: string, from: number, until: number): readonly Wall[] => {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const walls: Wall[] = [];
  let offset = 0;
  for (let at = from; at <= until; at += minute) {
    if ((at / minute) % 15 === 0 || at === from) {
      const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
      offset = Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute) - at;
    }
    const shown = new Date(at + offset);
    walls.push({
      minute: shown.getUTCMinutes(),
      hour: shown.getUTCHours(),
      day: shown.getUTCDate(),
      month: shown.getUTCMonth() + 1,
      serial: (at + offset) / minute,
    });
  }
  clocks.set(zone, walls);
  return walls;
};

const cronInstants = (trigger: PlainTrigger & { kind: 'cron' }, after: number, until: number): readonly number[] => {
  // A day before, so that what was shown just before the year is known.
  const from = after - 24 * 60 * minute;
  const walls = wallsOf(trigger.zone, from, until);
  const matches = ({ minute: minutes, hour, day, month }: Omit<Wall, 'serial'>): boolean =>
    has(trigger.minutes, minutes) && has(trigger.hours, hour) && has(trigger.days, day) && has(trigger.months, month);
  const found: number[] = [];
  const everyHour = trigger.hours.length === 0;
  let shownUpTo = walls[0]!.serial - 1;
  for (const [index, wall] of walls.entries()) {
    const at = from + index * minute;
    if (everyHour) {
      if (matches(wall) && at > after) found.push(at);
      continue;
    }
    // Each time of the wall counts once: when it is shown first, or, if the clock jumps over it, at the jump.
    let due = wall.serial === shownUpTo + 1 && matches(wall);
    for (let serial = shownUpTo + 1; serial < wall.serial; serial += 1) {
      const shown = new Date(serial * minute);
      due ||= matches({
        minute: shown.getUTCMinutes(),
        hour: shown.getUTCHours(),
        day: shown.getUTCDate(),
        month: shown.getUTCMonth() + 1,
      });
      due ||= matches(wall);
    }
    shownUpTo = Math.max(shownUpTo, wall.serial);
    if (due && at > after) found.push(at);
  }
  return found;
};

const has = (values: readonly number[], value: number): boolean => values.length === 0 || values.includes(value);
