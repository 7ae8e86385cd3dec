/** The only source of "now" in Sheaf, so that tests and replays can set it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
