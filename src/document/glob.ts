/**
 * Whether a path matches a glob (readings: globs): `*` stands for any characters but `/`, `**` as a whole segment for any number of
 * segments, everything else for itself. Both walks below back up only to the latest star, so no glob is slow.
 *
 * @example matchGlob('orders/**', 'orders/a/b') // true
 */
export const matchGlob = (glob: string, path: string): boolean => {
  const pattern = glob.split('/');
  const segments = path.split('/');
  return walk(
    pattern.length,
    segments.length,
    index => pattern[index] === '**',
    (p, s) => matchSegment(pattern[p] ?? '', segments[s] ?? ''),
  );
};

const matchSegment = (pattern: string, segment: string): boolean =>
  walk(
    pattern.length,
    segment.length,
    index => pattern[index] === '*',
    (p, s) => pattern[p] === segment[s],
  );

/** Matches a sequence of `items` against a pattern in which stars take any number of items. */
const walk = (
  patternLength: number,
  itemCount: number,
  isStar: (index: number) => boolean,
  same: (p: number, s: number) => boolean,
): boolean => {
  let p = 0;
  let s = 0;
  let star = -1;
  let resume = 0;
  while (s < itemCount) {
    if (p < patternLength && isStar(p)) {
      star = p++;
      resume = s;
    } else if (p < patternLength && same(p, s)) {
      p++;
      s++;
    } else if (star >= 0) {
      p = star + 1;
      s = ++resume;
    } else return false;
  }
  while (p < patternLength && isStar(p)) p++;
  return p === patternLength;
};
