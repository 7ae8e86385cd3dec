import { capabilitiesInBoth, structuralReads, withoutGovernance } from '#policy';
import type { Registry } from '#registry';

/** Where the rights of a run come from (readings: rights of a run). */
export interface RightsSources {
  /** What the assistant's role grants now; null when it names no role. */
  readonly role: readonly string[] | null;
  /**
   * For the workflow, the assistant and each skill that the run may use: what its last author may do (`authorCapabilities`). An empty list of
   * capabilities takes everything away.
   */
  readonly authors: readonly (readonly string[])[];
  /** What the principal may do whose event caused the work, or who fired it by hand; null for work that a clock caused. */
  readonly cause: readonly string[] | null;
}

/**
 * What a run may do: no more than each of its sources allows, and never what decides about rights. Without a role an assistant reads types that hold
 * structure and writes nothing.
 *
 * @example runRights({ role: ['ssss:memory:*'], authors: [['*:*']], cause: null }, registry) // ['ssss:memory:*']
 */
export const runRights = ({ role, authors, cause }: RightsSources, registry: Registry): readonly string[] => {
  const limits = [...authors, ...(cause === null ? [] : [cause])];
  const granted = limits.reduce(capabilitiesInBoth, role ?? structuralReads(registry));
  // After the intersection: what is left of `*:*` on all sides is still an agent's.
  return withoutGovernance(granted, registry);
};

/**
 * What the last author of a document may do: what it held when it wrote, and still holds. `now` is what the principal of that id may do today:
 * `unregistered` for people who are authenticated elsewhere and for the person at this machine, null for one that was revoked or has expired.
 */
export const authorCapabilities = (
  recorded: readonly string[] | null,
  now: readonly string[] | 'unregistered' | null,
): readonly string[] => {
  // Bytes that the log does not know have no author who could give rights.
  if (recorded === null || now === null) return [];
  return now === 'unregistered' ? recorded : capabilitiesInBoth(recorded, now);
};
