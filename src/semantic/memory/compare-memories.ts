import type { MemoryFacts, Statement } from './memory-facts.ts';

/** Two memories that do not go together. */
export interface MemoryFinding {
  readonly kind: 'contradiction' | 'duplicate';
  /**
   * `opposed`: one asks for what the other forbids; `different_object`: they say different things of one subject and predicate; `same_statement`: they say the
   * same; `near_equal_text`: title and description share most words; `similar_meaning`: their vectors are near.
   */
  readonly reason: 'opposed' | 'different_object' | 'same_statement' | 'near_equal_text' | 'similar_meaning';
  /** The one in force, else the older one. */
  readonly existing: MemoryFacts;
  readonly new: MemoryFacts;
  /** 0 to 1, where it was measured. */
  readonly similarity: number | null;
}

/** From this share of common words on, two texts are near-equal. */
const nearEqualText = 0.8;
/** Shorter texts share all their words by chance. */
const fewestTokens = 4;

/**
 * Every pair of memories that contradict or repeat each other, by path (readings: memory conflicts). Statements are compared by their symbolic triple and
 * stance alone: what a text negates in its own words is not guessed.
 */
export const compareMemories = (memories: readonly MemoryFacts[]): readonly MemoryFinding[] => {
  const found = new Map<string, MemoryFinding>();
  const add = (left: MemoryFacts, right: MemoryFacts, finding: Pick<MemoryFinding, 'kind' | 'reason' | 'similarity'>): void => {
    const [existing, other] = inOrder(left, right);
    const key = JSON.stringify([existing.path, other.path]);
    if (!found.has(key)) found.set(key, { ...finding, existing, new: other });
  };
  for (const group of groupsOf(memories)) {
    for (const [left, right] of pairsOf(group)) {
      const verdict = compareStatements(left.statement, right.statement);
      if (verdict !== null) add(left, right, { ...verdict, similarity: null });
    }
  }
  for (const { left, right, similarity } of nearEqualTexts(memories)) {
    if (!areOpposed(left, right)) add(left, right, { kind: 'duplicate', reason: 'near_equal_text', similarity });
  }
  return [...found.values()].sort(byPaths);
};

/** One that is in force stands; of two alike the older; of two as old the one whose path comes first. */
export const inOrder = (left: MemoryFacts, right: MemoryFacts): readonly [MemoryFacts, MemoryFacts] => {
  const rank = ({ status, timestamp, path }: MemoryFacts): string => [status === 'active' ? '0' : '1', timestamp, path].join('\0');
  return rank(left) <= rank(right) ? [left, right] : [right, left];
};

export const areOpposed = ({ statement: left }: MemoryFacts, { statement: right }: MemoryFacts): boolean =>
  left !== null && right !== null && left.stance * right.stance === -1;

export const byPaths = (left: MemoryFinding, right: MemoryFinding): number => {
  const [one, other] = [left, right].map(({ existing, new: newer }) => `${existing.path}\0${newer.path}`);
  return (one ?? '') < (other ?? '') ? -1 : 1;
};

const groupsOf = (memories: readonly MemoryFacts[]): Iterable<readonly MemoryFacts[]> => {
  const groups = new Map<string, MemoryFacts[]>();
  for (const memory of memories) {
    if (memory.statement === null) continue;
    const key = JSON.stringify([memory.statement.subject, memory.statement.predicate]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [memory]);
    else group.push(memory);
  }
  return groups.values();
};

function* pairsOf(group: readonly MemoryFacts[]): Iterable<readonly [MemoryFacts, MemoryFacts]> {
  for (const [index, left] of group.entries()) for (const right of group.slice(index + 1)) yield [left, right];
}

const compareStatements = (left: Statement | null, right: Statement | null): Pick<MemoryFinding, 'kind' | 'reason'> | null => {
  if (left === null || right === null) return null;
  const opposed = left.stance * right.stance === -1;
  if (left.object === right.object) {
    return opposed ? { kind: 'contradiction', reason: 'opposed' } : { kind: 'duplicate', reason: 'same_statement' };
  }
  // To forbid one thing and another, or to ask for one and forbid the other, goes together.
  return left.stance >= 0 && right.stance >= 0 ? { kind: 'contradiction', reason: 'different_object' } : null;
};

/**
 * Pairs whose tokens overlap by `nearEqualText` (Jaccard). Two sets that overlap so much share one of the rarest tokens of either, so only those are looked up:
 * a vault of many memories is not compared pair by pair.
 */
function* nearEqualTexts(memories: readonly MemoryFacts[]) {
  const counts = new Map<string, number>();
  for (const { tokens } of memories) for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  const index = new Map<string, MemoryFacts[]>();
  for (const right of memories) {
    if (right.tokens.size < fewestTokens) continue;
    const ordered = [...right.tokens].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || (a < b ? -1 : 1));
    const prefix = ordered.slice(0, right.tokens.size - Math.ceil(nearEqualText * right.tokens.size) + 1);
    const candidates = new Set(prefix.flatMap(token => index.get(token) ?? []));
    for (const left of candidates) {
      const similarity = overlap(left.tokens, right.tokens);
      if (similarity >= nearEqualText) yield { left, right, similarity };
    }
    for (const token of prefix) {
      const holders = index.get(token);
      if (holders === undefined) index.set(token, [right]);
      else holders.push(right);
    }
  }
}

const overlap = (left: ReadonlySet<string>, right: ReadonlySet<string>): number => {
  let shared = 0;
  for (const token of left) if (right.has(token)) shared += 1;
  return shared / (left.size + right.size - shared);
};
