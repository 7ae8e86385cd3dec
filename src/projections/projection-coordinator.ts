import type { CanonicalEvent, EventStore, ProjectionCoordinator } from '#adapter-contracts';
import { reasonOf, VaultError } from '#errors';

/** A read model that follows the log (§10): disposable, and rebuilt by applying every event from the first one on. */
export interface Projection {
  readonly id: string;
  /** Applies one event; applying the same event twice must leave the same state. */
  apply(event: CanonicalEvent): Promise<void> | void;
  /** Forgets everything, before a rebuild. */
  reset(): Promise<void> | void;
  /** What the projection believes the vault's hash to be (§10.1), or null when it never recorded one. */
  hash?(): string | null;
}

/** Where each projection stands in the log; in memory unless a host keeps them. */
export interface ProjectionCursors {
  get(id: string): string | null;
  set(id: string, cursor: string | null): void;
}

/**
 * Keeps projections level with the log (§6.7). A dispatch brings each projection from its cursor up to the end of the log, so an event that
 * failed, or that another process appended, is applied in order before later ones; the cursor moves only past what was applied.
 */
export const createProjectionCoordinator = (
  projections: readonly Projection[],
  source: { readonly events: EventStore; readonly workspaceId: string; readonly cursors?: ProjectionCursors },
): ProjectionCoordinator => {
  const cursors = source.cursors ?? memoryCursors();
  const turns = new Map<string, Promise<void>>();

  const level = async (projection: Projection): Promise<void> => {
    const cursor = cursors.get(projection.id);
    const from = cursor === null ? {} : { cursor };
    for await (const { event, cursor: next } of source.events.replay({ workspaceId: source.workspaceId, ...from })) {
      await projection.apply(event);
      cursors.set(projection.id, next);
    }
  };
  /** One catch-up per projection at a time, or two commits that end together would apply an event twice. */
  const inTurn = (id: string, work: () => Promise<void>): Promise<void> => {
    const turn = (turns.get(id) ?? Promise.resolve()).then(work);
    turns.set(
      id,
      turn.catch(() => undefined),
    );
    return turn;
  };
  const find = (id: string): Projection => {
    const projection = projections.find(known => known.id === id);
    if (projection) return projection;
    const known = projections.map(other => other.id).join(', ') || 'none';
    throw new VaultError(
      'invalid_request',
      { issues: [{ field: 'id', issue: `unknown projection '${id}'` }] },
      `There is no projection '${id}' (known: ${known}).`,
    );
  };

  return {
    async dispatch() {
      const outcomes = await Promise.allSettled(projections.map(projection => inTurn(projection.id, () => level(projection))));
      const failures = outcomes.flatMap((outcome, index) =>
        outcome.status === 'rejected' ? [`projection '${projections[index]?.id}': ${reasonOf(outcome.reason)}`] : [],
      );
      if (failures.length > 0) throw new Error(failures.join('; '));
    },
    async replay(id, { rebuild }) {
      const projection = find(id);
      await inTurn(id, async () => {
        if (rebuild) {
          cursors.set(id, null);
          await projection.reset();
        }
        await level(projection);
      });
    },
    async detectDrift(id, hash) {
      return find(id).hash?.() !== hash;
    },
  };
};

const memoryCursors = (): ProjectionCursors => {
  const cursors = new Map<string, string | null>();
  return { get: id => cursors.get(id) ?? null, set: (id, cursor) => void cursors.set(id, cursor) };
};
