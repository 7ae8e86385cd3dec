import type { CanonicalEvent } from '#adapter-contracts';
import type { ScanSource } from './scan-vault.ts';

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

/** What a tree is asked for: the whole tree of a first cause, or a correlation. */
export interface TreeQuery {
  readonly asked: string;
  /** The event id at which the tree begins; null when a correlation was asked for. */
  readonly root: string | null;
}

/** The part of an event that decides whether it belongs to a tree. */
interface Edge {
  readonly event_id: string;
  readonly correlation: string;
  readonly cause: string | null;
}

/**
 * Rebuilds a causal tree by reading the log. An event id gives the whole tree it belongs to, from its first cause; a correlation id gives
 * every event of that flow with what it caused. Unknown ids give a tree without nodes.
 */
export const traceEvents = async (source: Pick<ScanSource, 'events' | 'workspaceId'>, idOrCorrelation: string): Promise<CausalTree> => {
  const query = await treeQuery(source, idOrCorrelation);
  const collector = treeCollector(query);
  const collected: CanonicalEvent[] = [];
  for await (const { event } of source.events.replay({ workspaceId: source.workspaceId })) {
    if (collector({ event_id: event.event_id, correlation: event.correlation_id, cause: event.causation_id })) collected.push(event);
  }
  return causalTree(query, collected);
};

/** Whether an id is an event of the workspace, and then where its tree begins. */
export const treeQuery = async (source: Pick<ScanSource, 'events' | 'workspaceId'>, asked: string): Promise<TreeQuery> => {
  const event = await findEvent(source, asked);
  return { asked, root: event === null ? null : (await firstCause(source, event)).event_id };
};

/** Those of `lines`, in log order, that belong to the tree. */
export const collectTree = <T extends Edge>(query: TreeQuery, lines: readonly T[]): readonly T[] => lines.filter(treeCollector(query));

/** Edges point backward only (§8.3), so whoever belongs to the tree comes after its cause, and one pass finds them all; of an id that stands twice, the first. */
const treeCollector = ({ asked, root }: TreeQuery): ((line: Edge) => boolean) => {
  const collected = new Set<string>();
  return ({ event_id, correlation, cause }) => {
    const belongs = root === null ? correlation === asked : event_id === root;
    const caused = cause !== null && collected.has(cause);
    if (!(belongs || caused) || collected.has(event_id)) return false;
    collected.add(event_id);
    return true;
  };
};

/** The tree of the events that were collected, in log order. */
export const causalTree = ({ asked, root }: TreeQuery, events: readonly CanonicalEvent[]): CausalTree => ({
  query: asked,
  by: root === null ? 'correlation' : 'event',
  nodes: order(new Map(events.map(event => [event.event_id, event])), root === null ? null : asked),
});

const findEvent = async (
  { events, workspaceId }: Pick<ScanSource, 'events' | 'workspaceId'>,
  id: string,
): Promise<CanonicalEvent | null> => {
  const event = await events.findById(id);
  return event?.workspace_id === workspaceId ? event : null;
};

/** Follows the causes up. A merged or damaged log may lack one, or hold a circle; the walk ends there. */
const firstCause = async (source: Pick<ScanSource, 'events' | 'workspaceId'>, start: CanonicalEvent): Promise<CanonicalEvent> => {
  const visited = new Set([start.event_id]);
  let event = start;
  while (event.causation_id !== null && !visited.has(event.causation_id)) {
    const cause = await findEvent(source, event.causation_id);
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
    const siblings = cause === null ? undefined : children.get(cause);
    if (siblings !== undefined) siblings.push(event.event_id);
    else if (cause !== null && earlier.has(cause)) children.set(cause, [event.event_id]);
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
