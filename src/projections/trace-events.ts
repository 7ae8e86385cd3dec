import type { CanonicalEvent, EventStore } from '#adapter-contracts';

/** One event in a causal tree. */
export interface CausalNode {
  readonly event: CanonicalEvent;
  /** 0 for a root. */
  readonly depth: number;
  /** Event ids of what it directly caused, in log order. */
  readonly children: readonly string[];
  /** True for the event that was asked for. */
  readonly focus: boolean;
  /** Why the event stands as a root although it names a cause. */
  readonly note?: string;
}

/** The forward view of the event graph (§8.3): parents before children, siblings in log order. */
export interface CausalTree {
  readonly query: string;
  readonly by: 'event' | 'correlation';
  readonly nodes: readonly CausalNode[];
}

/**
 * Rebuilds a causal tree by reading the log. An event id gives the whole tree it belongs to, from its first cause; a correlation id gives
 * every event of that flow with what it caused. Unknown ids give a tree without nodes.
 */
export const traceEvents = async (events: EventStore, idOrCorrelation: string): Promise<CausalTree> => {
  const asked = await events.findById(idOrCorrelation);
  const rootId = asked === null ? null : (await firstCause(events, asked)).event_id;
  const collected = new Map<string, CanonicalEvent>();
  // Edges point backward only (§8.3), so whoever belongs to the tree comes after its cause, and one pass finds them all.
  for await (const { event } of events.replay()) {
    const belongs = rootId === null ? event.correlation_id === idOrCorrelation : event.event_id === rootId;
    const caused = event.causation_id !== null && collected.has(event.causation_id);
    if ((belongs || caused) && !collected.has(event.event_id)) collected.set(event.event_id, event);
  }
  return { query: idOrCorrelation, by: asked === null ? 'correlation' : 'event', nodes: order(collected, asked?.event_id ?? null) };
};

/** Follows the causes up. A merged or damaged log may lack one, or hold a circle; the walk ends there. */
const firstCause = async (events: EventStore, start: CanonicalEvent): Promise<CanonicalEvent> => {
  const visited = new Set([start.event_id]);
  let event = start;
  while (event.causation_id !== null && !visited.has(event.causation_id)) {
    const cause = await events.findById(event.causation_id);
    if (cause === null) break;
    visited.add(cause.event_id);
    event = cause;
  }
  return event;
};

/** Parents before children without recursion: a chain may be longer than the call stack. */
const order = (collected: ReadonlyMap<string, CanonicalEvent>, focus: string | null): readonly CausalNode[] => {
  const children = new Map<string, string[]>();
  const roots: string[] = [];
  const earlier = new Set<string>();
  for (const event of collected.values()) {
    const { causation_id: cause } = event;
    if (cause !== null && earlier.has(cause)) children.set(cause, [...(children.get(cause) ?? []), event.event_id]);
    else roots.push(event.event_id);
    earlier.add(event.event_id);
  }
  const nodes: CausalNode[] = [];
  const pending = roots.reverse().map(id => ({ id, depth: 0 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { id, depth } = next;
    const event = collected.get(id)!;
    const below = children.get(id) ?? [];
    const note = depth === 0 && event.causation_id !== null ? `its cause ${event.causation_id} is not part of this tree` : undefined;
    nodes.push({ event, depth, children: below, focus: id === focus, ...(note === undefined ? {} : { note }) });
    for (const child of below.toReversed()) pending.push({ id: child, depth: depth + 1 });
  }
  return nodes;
};
