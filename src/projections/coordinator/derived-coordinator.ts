import type { ProjectionCoordinator } from '#adapter-contracts';
import type { DerivedProjection } from '../derived-projection.ts';

/** What the contract of a projection coordinator (§6.7) asks of derived read models. */
interface DerivedParts {
  readonly projections: readonly DerivedProjection[];
  committed(): void;
  bringLevel(id: string, rebuild: boolean): Promise<void>;
  /** The hash of the vault that a projection was made from (§10.1); null before the first time. */
  hash(id: string): Promise<string | null>;
}

/** The derived read models before another coordinator: they hear of every commit and hold none up, and answer for their own ids. */
export const createDerivedCoordinator = (inner: ProjectionCoordinator, derived: DerivedParts): ProjectionCoordinator => {
  const isDerived = (id: string): boolean => derived.projections.some(projection => projection.id === id);
  return {
    dispatch(event, after, before) {
      derived.committed();
      return inner.dispatch(event, after, before);
    },
    replay: (id, options) => (isDerived(id) ? derived.bringLevel(id, options.rebuild) : inner.replay(id, options)),
    detectDrift: async (id, hash) => (isDerived(id) ? (await derived.hash(id)) !== hash : inner.detectDrift(id, hash)),
  };
};
