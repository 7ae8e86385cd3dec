import type { CanonicalEvent, Replayed } from '#adapter-contracts';

const maxEvents = 4_096;
/** Characters of payload; events are small, but a single one may be as large as an envelope. */
const maxWeight = 8 << 20;

/** The latest events of the log, once for everybody who follows it. Places count up from the first event that ever stood here. */
export interface EventWindow {
  /** The place of the oldest event that is still here, and the place behind the newest. */
  first(): number;
  end(): number;
  /** Null when the event at this place has not come yet, or stands here no more. */
  at(place: number): Replayed | null;
  /** The place behind the event that this cursor came with; null when it stands here no more, or never did. */
  after(cursor: string): number | null;
  add(replayed: Replayed): void;
  /** Forgets what nobody needs, `needed` being the oldest place somebody waits at, and in any case what is too much. */
  trim(needed: number): void;
}

export const createEventWindow = (): EventWindow => {
  const events: { readonly replayed: Replayed; readonly weight: number }[] = [];
  let first = 0;
  let weight = 0;
  const end = (): number => first + events.length;
  return {
    first: () => first,
    end,
    at: place => events[place - first]?.replayed ?? null,
    after(cursor) {
      const index = events.findLastIndex(({ replayed }) => replayed.cursor === cursor);
      return index === -1 ? null : first + index + 1;
    },
    add(replayed) {
      const added = { replayed, weight: weightOf(replayed.event) };
      events.push(added);
      weight += added.weight;
    },
    trim(needed) {
      let gone = Math.min(Math.max(needed - first, events.length - maxEvents, 0), events.length);
      for (const { weight: one } of events.slice(0, gone)) weight -= one;
      for (; weight > maxWeight && gone < events.length; gone += 1) weight -= events[gone]?.weight ?? 0;
      events.splice(0, gone);
      first += gone;
    },
  };
};

/** Roughly what an event takes in memory. */
export const weightOf = ({ payload }: CanonicalEvent): number => 1_000 + (payload == null ? 0 : JSON.stringify(payload).length);
