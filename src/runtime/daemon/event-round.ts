import type Database from 'better-sqlite3';
import type { CanonicalEvent } from '#adapter-contracts';
import { isVaultError } from '#errors';
import { matchesTrigger } from '../triggers/matches-trigger.ts';
import { type CausationChain, createChainReader, deepestChain, triggerKey } from './causation-chain.ts';
import { changesDefinitions } from './definition-changes.ts';
import { fireTrigger } from './fire-trigger.ts';
import type { ActiveTrigger, Definitions } from './load-definitions.ts';
import type { RuntimeHost } from './runtime-host.ts';
import { type Fired, submitFiring } from './submit-firing.ts';

/** Events looked at in one go; the rest follows at once. */
const eventsPerRound = 1000;

/** How far the log was looked through, and how many changes of definitions lie before that. */
interface Position {
  readonly cursor: string;
  readonly place: number;
}

interface EventRound {
  readonly fired: readonly Fired[];
  readonly looked: number;
  readonly more: boolean;
}

export interface EventWatch {
  /** Takes the triggers that events fire, and up to which change of a definition they are known. */
  use(definitions: Pick<Definitions, 'active' | 'place'>): void;
  run(): Promise<EventRound>;
}

const firedByEvents: ReadonlySet<string> = new Set(['event', 'file_change', 'webhook', 'condition']);

/** Behind this many links nobody meant the work any more. */
const tooDeep = `the chain of causes behind the event is longer than ${deepestChain} links`;

/**
 * Looks at each new event once and fires what it matches (§11.8). Where nobody knows how far was looked, it begins behind the event that enabled the
 * first trigger; events that have fired already are found under their keys.
 */
export const createEventWatch = (host: RuntimeHost): EventWatch => {
  const chainOf = createChainReader(host);
  let index: ReadonlyMap<string, readonly ActiveTrigger[]> = new Map();
  let all: readonly ActiveTrigger[] = [];
  let known = 0;
  let position: Position | null = null;

  const start = async (): Promise<Position | null> => {
    const stored = await host.projections.read(readPosition);
    if (stored !== null) return stored;
    const first = all.reduce<ActiveTrigger | null>((a, b) => (a === null || b.enabled.place < a.enabled.place ? b : a), null);
    const cursor = first === null ? null : await host.events.cursorAfter(first.enabled.eventId);
    return first === null || cursor === null ? null : { cursor, place: first.enabled.place };
  };
  const fireMatching = async (event: CanonicalEvent, place: number): Promise<readonly Fired[]> => {
    const matching = candidates(index, event.subject).filter(
      ({ trigger, enabled }) => enabled.place <= place && matchesTrigger(trigger, event),
    );
    if (matching.length === 0) return [];
    const chain = await chainOf(event);
    const fired: Fired[] = [];
    for (const { trigger } of matching) {
      const result = await fireOnce(host, trigger, event, chain);
      if (result !== null) fired.push(result);
    }
    return fired;
  };
  const lookThrough = async (from: Position): Promise<EventRound> => {
    const changes = await host.projections.read(db => changesBehind(db, from.place));
    const fired: Fired[] = [];
    let looked = 0;
    let [cursor, place] = [from.cursor, from.place];
    let stale = false;
    for await (const replayed of host.events.replay({ workspaceId: host.workspaceId, cursor: from.cursor })) {
      // What comes behind a change may be for a trigger that only the changed definitions hold: they are read first.
      stale = changesDefinitions(replayed.event) && (changes.get(replayed.event.event_id) ?? Number.POSITIVE_INFINITY) > known;
      if (stale) break;
      const results = await fireMatching(replayed.event, place);
      fired.push(...results);
      // Nothing is passed over: what is not on record is tried again before any later event; what is, gets its task from there.
      if (results.some(({ outcome, eventId }) => outcome === 'failed' && eventId === null)) break;
      place = changes.get(replayed.event.event_id) ?? place;
      cursor = replayed.cursor;
      looked += 1;
      if (looked === eventsPerRound) break;
    }
    if (cursor !== from.cursor) {
      position = { cursor, place };
      await host.projections.write(db => keepPosition(db, { cursor, place }));
    }
    return { fired, looked, more: stale || looked === eventsPerRound };
  };

  return {
    use({ active, place }) {
      known = place;
      all = active.filter(({ trigger }) => firedByEvents.has(trigger.selector.type));
      index = indexed(all);
    },
    async run() {
      if (all.length === 0) return { fired: [], looked: 0, more: false };
      position ??= await start();
      if (position === null) return { fired: [], looked: 0, more: false };
      try {
        return await lookThrough(position);
      } catch (error) {
        if (!isVaultError(error) || error.code !== 'invalid_request') throw error;
        // The log was exchanged: nobody knows any more how far was looked.
        position = null;
        await host.projections.write(db => void db.prepare('DELETE FROM runtime_position').run());
        return { fired: [], looked: 0, more: true };
      }
    },
  };
};

/** Null when the trigger's own work stands behind the event. */
const fireOnce = async (
  host: RuntimeHost,
  trigger: ActiveTrigger['trigger'],
  event: CanonicalEvent,
  chain: CausationChain,
): Promise<Fired | null> => {
  if (chain.triggers.has(triggerKey(trigger.workflow.id, trigger.id))) return null;
  if (chain.tooDeep) return submitFiring(host, trigger, { kind: 'event', event }, tooDeep);
  return fireTrigger(host, trigger, { kind: 'event', event });
};

/** By the first segment of the subject, so that an event is compared with few of many triggers; '' holds those that any subject may match. */
const indexed = (triggers: readonly ActiveTrigger[]): ReadonlyMap<string, readonly ActiveTrigger[]> => {
  const index = new Map<string, ActiveTrigger[]>();
  for (const active of triggers) {
    const { selector } = active.trigger;
    const first = 'subject' in selector && selector.subject !== null ? firstSegment(selector.subject) : '';
    const key = first.includes('*') ? '' : first;
    const found = index.get(key);
    if (found === undefined) index.set(key, [active]);
    else found.push(active);
  }
  return index;
};

const candidates = (index: ReadonlyMap<string, readonly ActiveTrigger[]>, subject: string): readonly ActiveTrigger[] => [
  ...(index.get(firstSegment(subject)) ?? []),
  ...(index.get('') ?? []),
];

const firstSegment = (path: string): string => path.split('/', 1)[0] ?? '';

const readPosition = (db: Database.Database): Position | null =>
  (db.prepare('SELECT cursor, place FROM runtime_position').get() as Position | undefined) ?? null;

const keepPosition = (db: Database.Database, { cursor, place }: Position): void => {
  db.prepare('INSERT OR REPLACE INTO runtime_position (one, cursor, place) VALUES (1, ?, ?)').run(cursor, place);
};

const changesBehind = (db: Database.Database, place: number): ReadonlyMap<string, number> =>
  new Map(
    (db.prepare('SELECT event_id, place FROM runtime_changes WHERE place > ?').all(place) as { event_id: string; place: number }[]).map(
      row => [row.event_id, row.place],
    ),
  );
