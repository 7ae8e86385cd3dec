import { Cron } from 'croner';
import { type Schedule, ScheduleError } from './schedule.ts';
import { type Zone, zoneNamed } from './zone.ts';

const minute = 60_000;

/**
 * A five-field cron expression on the wall clock of a time zone (readings: wall-clock schedules). With a star as its hour field, or a star with a
 * step, it is due at every real instant whose wall time matches; with any other hour field once for each wall time: at the first showing of a repeated
 * time, and once at the end of a gap for all times that the clock jumps over. Throws `ScheduleError`.
 *
 * @example new Date(cronSchedule('0 8 * * *', 'America/Denver').next(Date.now()))
 */
export const cronSchedule = (expression: string, timezone = 'UTC'): Schedule => {
  const zone = zoneNamed(timezone);
  const walls = wallTimes(expression);
  return everyHour.test(expression.trim().split(/\s+/)[1] ?? '') ? onRealInstants(walls, zone) : onWallTimes(walls, zone);
};

const everyHour = /^\*(?:\/\d+)?$/;

/** The wall times that an expression names, as if the wall were UTC: a calendar without a zone. Both ends count. */
interface WallTimes {
  from(wall: number): number | null;
  upTo(wall: number): number | null;
}

const wallTimes = (expression: string): WallTimes => {
  const cron = parse(expression);
  const from = (wall: number): number | null => cron.nextRun(new Date(wall - 1000))?.getTime() ?? null;
  if (from(Date.UTC(2000, 0, 1)) === null) throw new ScheduleError('cron', `'${expression}' names no day that ever comes`);
  return { from, upTo: wall => cron.previousRuns(1, new Date(wall + 1000))[0]?.getTime() ?? null };
};

const parse = (expression: string): Cron => {
  const shape = 'minute, hour, day of month, month, day of week';
  if (expression.trim().split(/\s+/).length !== 5) throw new ScheduleError('cron', `'${expression}' needs five fields: ${shape}`);
  try {
    return new Cron(expression.trim(), { timezone: 'UTC', paused: true, mode: '5-part' });
  } catch (error) {
    throw new ScheduleError('cron', `'${expression}' is no cron expression (${shape}): ${(error as Error).message}`);
  }
};

const onRealInstants = (walls: WallTimes, zone: Zone): Schedule => ({
  next(after) {
    for (let from = ceiling(after + 1); ; ) {
      const offset = zone.offsetAt(from);
      const wall = walls.from(from + offset);
      if (wall === null) return null;
      const change = zone.firstChange(from, wall - offset);
      if (change === null) return wall - offset;
      from = change;
    }
  },
  previous(before) {
    for (let to = floor(before - 1); ; ) {
      const offset = zone.offsetAt(to);
      const wall = walls.upTo(to + offset);
      if (wall === null) return null;
      const change = zone.lastChange(wall - offset, to);
      if (change === null) return wall - offset;
      to = floor(change - 1);
    }
  },
});

const onWallTimes = (walls: WallTimes, zone: Zone): Schedule => ({
  next(after) {
    for (let wall = walls.from(floor(after + zone.offsetAt(after)) + minute); wall !== null; wall = walls.from(wall + minute)) {
      const instant = zone.firstShowing(wall);
      // A time that is shown for the second time was due at the first.
      if (instant > after) return instant;
    }
    return null;
  },
  previous(before) {
    // Just behind a clock set back, later wall times lie earlier.
    const latest = before + Math.max(zone.offsetAt(before), zone.offsetAt(before - longestRepeat));
    for (let wall = walls.upTo(floor(latest)); wall !== null; wall = walls.upTo(wall - minute)) {
      const instant = zone.firstShowing(wall);
      if (instant < before) return instant;
    }
    return null;
  },
});

/** No clock was ever set back by more. */
const longestRepeat = 24 * 60 * minute;

const floor = (instant: number): number => Math.floor(instant / minute) * minute;
const ceiling = (instant: number): number => Math.ceil(instant / minute) * minute;
