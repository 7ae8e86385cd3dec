/** The lines that connect a node to its parent: `├─ `, `└─ ` and the rails of its ancestors. */
export const branchPrefixes = (depths: readonly number[]): string[] => {
  // A rail goes on at a level as long as a later node of that level comes before any shallower one.
  const open: boolean[] = [];
  const prefixes: string[] = [];
  for (let index = depths.length - 1; index >= 0; index -= 1) {
    const depth = depths[index] ?? 0;
    open.length = Math.min(open.length, depth + 1);
    const rails = Array.from({ length: Math.max(depth - 1, 0) }, (_, level) => (open[level + 1] ? '│  ' : '   '));
    prefixes[index] = depth === 0 ? '' : `${rails.join('')}${open[depth] ? '├─ ' : '└─ '}`;
    open[depth] = true;
  }
  return prefixes;
};
