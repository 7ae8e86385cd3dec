// Whether some order of the calls, one after another and true to real time, explains every answer that was given (Herlihy & Wing's
// linearizability, by the search of Wing & Gong with a memory of what was tried).
import { type Command, type Expected, Model } from './reference-model.ts';

export type Act =
  | Command
  | { readonly kind: 'read'; readonly path: string }
  /** `lease` is the id that the store chose, or the one that was given back. */
  | { readonly kind: 'acquire'; readonly path: string; readonly who: string; readonly lease: string }
  | { readonly kind: 'release'; readonly path: string; readonly who: string; readonly lease: string };

export type Observed = Expected | { readonly text: string | null } | { readonly held: boolean };

/** One call of one caller; `begin` and `end` are moments of one clock. */
export interface Call {
  readonly begin: number;
  readonly end: number;
  readonly act: Act;
  readonly observed: Observed;
}

export interface LoggedEvent {
  readonly action: string;
  readonly subject: string;
  readonly key: string;
}

/**
 * Null when the history is linearizable, else what cannot be explained. Calls that share a path or a key are judged together, each group by itself:
 * that suffices, because a history is linearizable when each of its objects is. The log is the witness of the order of the commits.
 */
export function unexplained(history: readonly Call[], log: readonly LoggedEvent[]): string | null {
  for (const calls of groups(history)) {
    const paths = new Set(calls.map(({ act }) => act.path));
    const own = log.flatMap((event, position) => (paths.has(event.subject) ? [position] : []));
    const found = search(calls.map(call => renumbered(call, own)).sort((a, b) => a.begin - b.begin));
    if (typeof found === 'string') return found;
    const expected = JSON.stringify(own.map(position => log[position]));
    if (JSON.stringify(found.log) !== expected)
      return `the log of ${[...paths].join(', ')} is ${expected}, not ${JSON.stringify(found.log)}`;
  }
  return null;
}

/** The calls, split so that no two parts share a path or a key. */
function groups(history: readonly Call[]): readonly (readonly Call[])[] {
  const groups: { names: Set<string>; calls: Call[] }[] = [];
  for (const call of history) {
    const names = [`path ${call.act.path}`, ...('key' in call.act ? [`key ${call.act.key}`] : [])];
    const joined = groups.filter(group => names.some(name => group.names.has(name)));
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push({
      names: new Set([...names, ...joined.flatMap(group => [...group.names])]),
      calls: [...joined.flatMap(group => group.calls), call],
    });
  }
  return groups.map(({ calls }) => calls);
}

const renumbered = (call: Call, own: readonly number[]): Call =>
  'event' in call.observed && call.observed.event >= 0
    ? { ...call, observed: { ...call.observed, event: own.indexOf(call.observed.event) } }
    : call;

/** The state that one explaining order leads to, or what the furthest attempt could not explain. */
function search(calls: readonly Call[]): Model | string {
  const tried = new Set<string>();
  let furthest: readonly Call[] = [];
  const visit = (done: readonly Call[], pending: readonly Call[], model: Model): Model | null => {
    if (pending.length === 0) return model;
    if (done.length >= furthest.length) furthest = done;
    const state = JSON.stringify(stateOf(model));
    const node = `${pending.map(call => call.begin).join()} ${state}`;
    if (tried.has(node)) return null;
    tried.add(node);
    // Whoever ended before another began comes before it.
    const firstEnd = Math.min(...pending.map(call => call.end));
    for (const call of pending.filter(each => each.begin < firstEnd)) {
      const next = explain(call, done, model);
      if (next === null) continue;
      const found = visit(
        [...done, call],
        pending.filter(each => each !== call),
        next,
      );
      // A call that changes nothing can as well be placed here as later, so no other place need be tried.
      if (found !== null || JSON.stringify(stateOf(next)) === state) return found;
    }
    return null;
  };
  return visit([], calls, new Model()) ?? describe(furthest, calls);
}

const stateOf = ({ docs, recorded, committed, records, leases, log }: Model): unknown => [
  ...[docs, recorded, committed, records, leases].map(map => [...map].sort(([a], [b]) => (a < b ? -1 : 1))),
  log,
];

/** The state after the call if it came next and was answered as it was, or null. */
function explain(call: Call, done: readonly Call[], model: Model): Model | null {
  const { act, observed } = call;
  const next = model.copy();
  if (same(answer(next, act), observed)) return next;
  if (!('key' in act)) return null;
  // A key under which nothing was committed may be forgotten at any time (§6.4 Retention), so it may also be lost to a race.
  if ('answer' in observed && observed.answer === 'commit' && !observed.replay && model.records.has(act.key)) {
    const forgetful = model.copy();
    forgetful.forget(act.key);
    if (same(answer(forgetful, act), observed)) return forgetful;
  }
  return lostRace(call, act, done, model) ? model : null;
}

const same = (a: Observed, b: Observed): boolean => JSON.stringify(a, Object.keys(a).sort()) === JSON.stringify(b, Object.keys(b).sort());

function answer(model: Model, act: Act): Observed {
  if (act.kind === 'read') return { text: model.textAt(act.path) };
  if (act.kind === 'acquire') return { held: model.acquire(act.path, act.who, act.lease) };
  if (act.kind === 'release') return { held: model.release(act.path, act.who, act.lease) };
  return model.step(act);
}

/** `version_conflict` is due to whoever lost to a commit of the same time, unless the winner had the same key (§6.3 Concurrency). */
function lostRace({ begin, observed }: Call, act: Command, done: readonly Call[], model: Model): boolean {
  if (!('code' in observed) || observed.code !== 'version_conflict') return false;
  if (act.kind === 'event' || act.dryRun || model.committed.has(act.key)) return false;
  return done.some(other => {
    const committed = 'answer' in other.observed && other.observed.answer === 'commit' && !other.observed.replay;
    return committed && other.act.kind !== 'event' && other.act.path === act.path && other.end > begin;
  });
}

const describe = (done: readonly Call[], calls: readonly Call[]): string => {
  const lines = calls.map(call => `${done.includes(call) ? ' ' : '?'} ${JSON.stringify(call)}`);
  return `no order explains the calls marked with a question mark:\n${lines.join('\n')}`;
};
