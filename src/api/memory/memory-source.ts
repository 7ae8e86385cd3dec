import type { Clock } from '#adapter-contracts';
import type { Kernel } from '#kernel';
import { type ScanSource, scanVault } from '#projections';
import type { Registry } from '#registry';
import { type ConflictFacts, conflictFacts, type MemoryFacts, memoryFacts, type SemanticLane } from '#semantic';

/** What the care for memories needs of a vault. */
export interface MemorySource extends ScanSource {
  readonly registry: Registry;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly lane: SemanticLane | null;
}

export interface Remembered {
  /** In force or proposed, by path. */
  readonly memories: readonly MemoryFacts[];
  readonly conflicts: readonly ConflictFacts[];
}

/** Every memory and every conflict of the vault, wherever they stand. */
export const readMemories = async (source: MemorySource): Promise<Remembered> => {
  const memories: MemoryFacts[] = [];
  const conflicts: ConflictFacts[] = [];
  for await (const scanned of scanVault(source)) {
    if (scanned.kind !== 'markdown') continue;
    const memory = memoryFacts(scanned.path, scanned.hash, scanned.parsed, source.registry);
    if (memory !== null) memories.push(memory);
    const conflict = conflictFacts(scanned.path, scanned.hash, scanned.parsed, source.registry);
    if (conflict !== null) conflicts.push(conflict);
  }
  return { memories, conflicts };
};

/** Now, as §4.2 writes instants in documents. */
export const instantNow = ({ clock }: MemorySource): string =>
  clock
    .now()
    .toISOString()
    .replace(/\.\d{3}Z$/, 'Z');
