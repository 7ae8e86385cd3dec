import { expect, test } from 'vitest';
import { gaps, requirementRows, sectionRows, skippedLines } from '../../src/cli/conformance/report-table.ts';
import { type ConformanceReport, runConformance } from '../../src/cli/conformance/run-conformance.ts';
import type { SurfaceName } from '../../src/cli/conformance/scenario.ts';

// SHEAF_CONFORMANCE=memory or =memory,fs runs less while something is being built; the suite proper runs everything.
const chosen = process.env['SHEAF_CONFORMANCE']?.split(',') as readonly SurfaceName[] | undefined;
const only = process.env['SHEAF_CONFORMANCE_ONLY'];

let report: ConformanceReport | undefined;

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)));
  return rows.map(row => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ').trimEnd()).join('\n');
};

test('every scenario holds on every surface it names', async () => {
  report = await runConformance({ ...(chosen === undefined ? {} : { surfaces: chosen }), ...(only === undefined ? {} : { only }) });
  const failures = report.results.filter(result => result.problems.length > 0);
  process.stdout.write(`\n${aligned(sectionRows(report))}\n\n${skippedLines(report).join('\n')}\n\n`);
  expect(failures.map(({ surface, id, problems }) => `${surface} ${id}: ${problems.join('; ')}`)).toEqual([]);
  expect(report.results.length).toBeGreaterThan(chosen === undefined && only === undefined ? 2500 : 0);
}, 600_000);

test('the surfaces answer alike', () => {
  expect(report?.disagreements).toEqual([]);
});

test('every requirement is shown by a scenario or names what shows it', () => {
  process.stdout.write(`${aligned(requirementRows(report!).map(([id, says, by]) => [id!, says!, by!]))}\n`);
  expect(gaps(report!)).toEqual([]);
});
