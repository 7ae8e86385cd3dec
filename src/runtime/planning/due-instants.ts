import type { Schedule } from '../schedule/schedule.ts';
import type { MisfirePolicy } from '../triggers/trigger.ts';

/** What a schedule owes now. Instants in milliseconds since 1970. */
export interface DueInstants {
  /** To be turned into work now, oldest first; never later than `now`. */
  readonly due: readonly number[];
  /** Instants that passed unseen and get no work of their own, counted up to `countedUpTo`. */
  readonly missed: number;
  /** The cap was reached: there is more to do at once. */
  readonly more: boolean;
  /** The next instant in the future; null when there is none. */
  readonly next: number | null;
}

/** Missed instants are counted for people; more than this is "many". */
export const countedUpTo = 1000;

/**
 * The instants in (`since`, `now`] that want work (§11.8 misfires; readings: missed instants). Whatever lies back by more than `grace` was missed:
 * `skip` leaves it, `run_once` takes the latest, `catch_up` takes all, oldest first, at most `cap` at a time. While old instants wait the newer ones
 * wait behind them, so that no instant is ever passed over.
 *
 * @param since The last instant that has its work, or when the trigger began to count, whichever is later.
 */
export const dueInstants = (
  schedule: Schedule,
  { since, now, grace, policy, cap }: { since: number; now: number; grace: number; policy: MisfirePolicy; cap: number },
): DueInstants => {
  const onTimeFrom = Math.max(since, now - grace - 1);
  const lastMissed = previousWithin(schedule, onTimeFrom + 1, since);
  const { instants: onTime, more: moreOnTime } = collect(schedule, onTimeFrom, now, cap);
  const next = schedule.next(now);
  if (lastMissed === null) return { due: onTime, missed: 0, more: moreOnTime, next };
  switch (policy) {
    case 'skip':
      return { due: onTime, missed: countMissed(schedule, since, onTimeFrom), more: moreOnTime, next };
    case 'run_once':
      return { due: [lastMissed, ...onTime], missed: countMissed(schedule, since, lastMissed - 1), more: moreOnTime, next };
    case 'catch_up': {
      const { instants, more } = collect(schedule, since, now, cap);
      return { due: instants, missed: 0, more, next };
    }
  }
};

const previousWithin = (schedule: Schedule, before: number, after: number): number | null => {
  const found = schedule.previous(before);
  return found !== null && found > after ? found : null;
};

const collect = (schedule: Schedule, after: number, until: number, cap: number): { instants: readonly number[]; more: boolean } => {
  const instants: number[] = [];
  for (let at = schedule.next(after); at !== null && at <= until; at = schedule.next(at)) {
    if (instants.length === cap) return { instants, more: true };
    instants.push(at);
  }
  return { instants, more: false };
};

const countMissed = (schedule: Schedule, after: number, until: number): number =>
  collect(schedule, after, until, countedUpTo).instants.length;
