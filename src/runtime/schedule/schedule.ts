/** When a time-driven trigger is due: instants in milliseconds since 1970, the same for everybody who asks. */
export interface Schedule {
  /** The first instant behind `after`; null when there is none in the next century. */
  next(after: number): number | null;
  /** The last instant before `before`; null when there is none in the last century. */
  previous(before: number): number | null;
}

/** A schedule that cannot be read: an unknown time zone, an impossible cron expression, a span that is none. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
  /** The member of the trigger that is wrong. */
  readonly field: 'cron' | 'interval' | 'timezone' | 'x_anchor';

  constructor(field: ScheduleError['field'], message: string) {
    super(message);
    this.field = field;
  }
}
