import type { SemanticLane } from '../semantic-lane.ts';
import { areOpposed, inOrder, type MemoryFinding } from './compare-memories.ts';
import type { MemoryFacts } from './memory-facts.ts';

/** From this similarity of their vectors on, two memories are taken for one. */
const nearMeaning = 0.92;

const neighbours = 5;

/** Pairs of memories that are near in meaning; none while there is no model, or none that answers for all. Rejects when the model cannot be reached. */
export const similarMemories = async (memories: readonly MemoryFacts[], lane: SemanticLane): Promise<readonly MemoryFinding[]> => {
  if ((await lane.state()).state !== 'ready') return [];
  // What must not travel is not sent to a model that may be elsewhere, either.
  const shared = memories.filter(({ portability }) => portability === 'structural');
  const byPath = new Map(shared.map(memory => [memory.path, memory]));
  const found = new Map<string, MemoryFinding>();
  for (const memory of shared) {
    const allowed = (path: string): boolean => path !== memory.path && byPath.has(path);
    for (const { path, similarity } of await lane.nearest(`${memory.title}\n${memory.description}`, { limit: neighbours, allowed })) {
      const other = byPath.get(path);
      if (other === undefined || similarity < nearMeaning || areOpposed(memory, other)) continue;
      const [existing, newer] = inOrder(memory, other);
      const key = JSON.stringify([existing.path, newer.path]);
      const measured = Math.max(similarity, found.get(key)?.similarity ?? 0);
      found.set(key, { kind: 'duplicate', reason: 'similar_meaning', existing, new: newer, similarity: measured });
    }
  }
  return [...found.values()];
};
