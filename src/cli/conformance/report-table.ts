import { groupBy } from './group-by.ts';
import type { ConformanceReport } from './run-conformance.ts';
import { surfaceNames } from './scenario.ts';

/** Sections against surfaces: how many scenarios there are, and how many runs passed on each. */
export const sectionRows = ({ set, results }: ConformanceReport): readonly (readonly string[])[] => {
  const bySurface = groupBy(results, result => result.surface);
  const rows = set.files.map(({ heading, scenarios }) => {
    const ids = new Set(scenarios.map(scenario => scenario.id));
    const counts = surfaceNames.map(surface => countOf((bySurface.get(surface) ?? []).filter(result => ids.has(result.id))));
    return [heading, String(new Set(scenarios.map(({ id }) => id.split('/')[0])).size), ...counts];
  });
  const total = ['all', String(new Set(set.files.flatMap(file => file.scenarios.map(({ id }) => id.split('/')[0]))).size)];
  return [
    ['section', 'scenarios', ...surfaceNames],
    ...rows,
    [...total, ...surfaceNames.map(surface => countOf(bySurface.get(surface) ?? []))],
  ];
};

const countOf = (results: readonly { readonly problems: readonly string[] }[]): string => {
  const passed = results.filter(result => result.problems.length === 0).length;
  return results.length === 0 ? '–' : passed === results.length ? String(passed) : `${passed} of ${results.length}`;
};

/** Requirements against the scenarios that show them; what nothing shows is a gap. */
export const requirementRows = ({ set }: ConformanceReport): readonly (readonly string[])[] => [
  ['requirement', 'says', 'shown by'],
  ...set.requirements.map(({ id, says, checked_by }) => [id, says, shownBy(set, id).join(' ') || checked_by || 'GAP']),
];

const shownBy = (set: ConformanceReport['set'], id: string): readonly string[] => {
  const scenarios = set.files.flatMap(file => file.scenarios).filter(scenario => scenario.covers.includes(id));
  return [...new Set(scenarios.map(scenario => scenario.id.split('/')[0] ?? ''))];
};

/** Requirements that neither a scenario nor anything named shows. */
export const gaps = ({ set }: ConformanceReport): readonly string[] =>
  set.requirements.filter(({ id, checked_by }) => checked_by === undefined && shownBy(set, id).length === 0).map(({ id }) => id);

/** How often each surface could not run a scenario, and why; and what it ran but could not observe. */
export const skippedLines = ({ skipped, results }: ConformanceReport): readonly string[] => {
  const reasons = groupBy(skipped, ({ surface, reason }) => `${surface}: not run, ${reason}`);
  const unobserved = groupBy(
    results.flatMap(({ surface, unobserved: what }) => what.map(each => `${surface}: ran, could not observe ${each}`)),
    line => line,
  );
  return [
    ...[...reasons].map(([why, list]) => `${why}: ${list.length}`),
    ...[...unobserved].map(([why, list]) => `${why}: ${list.length}`),
  ];
};
