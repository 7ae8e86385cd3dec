import { groupBy } from './group-by.ts';
import type { ConformanceReport } from './run-conformance.ts';
import type { ScenarioResult } from './run-scenario.ts';
import { surfaceNames } from './scenario.ts';

/** Sections against surfaces: how many scenarios ran, and how many of their runs passed on each, or at the host elsewhere. Sections of which nothing ran are left out. */
export const sectionRows = ({ set, results }: ConformanceReport): readonly (readonly string[])[] => {
  const columns = results.some(({ surface }) => surface === 'http') ? ['http'] : surfaceNames;
  const rows = set.files.flatMap(({ heading, scenarios }) => {
    const ids = new Set(scenarios.map(scenario => scenario.id));
    const own = results.filter(result => ids.has(result.id));
    return own.length === 0 ? [] : [[heading, ...countsOf(own, columns)]];
  });
  return [['section', 'scenarios', ...columns], ...rows, ['all', ...countsOf(results, columns)]];
};

const countsOf = (results: readonly ScenarioResult[], columns: readonly string[]): readonly string[] => {
  const scenarios = new Set(results.map(({ id }) => id.split('/')[0]));
  return [String(scenarios.size), ...columns.map(surface => countOf(results.filter(result => result.surface === surface)))];
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
