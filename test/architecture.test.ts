import { readdirSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { expect, test } from 'vitest';
import config from '../.dependency-cruiser.mjs';
import { rooms } from '../architecture.mjs';

test('imports follow architecture.mjs', async () => {
  const { output } = await cruise(
    ['src'],
    { ruleSet: { forbidden: config.forbidden as never }, ...(config.options as object), validate: true } as never,
    undefined,
    { tsConfig: extractTSConfig('tsconfig.json') } as never,
  );
  const { summary } = output as {
    summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] };
  };
  expect(summary.violations.map(violation => `${violation.rule.name}: ${violation.from} -> ${violation.to}`)).toEqual([]);
  // A parser mismatch would otherwise pass on zero files.
  expect(summary.totalCruised).toBeGreaterThan(200);
});

test('every folder under src is a declared room', () => {
  const declared = new Set(Object.keys(rooms).map(room => room.split('/')[0]));
  const folders = readdirSync('src', { withFileTypes: true }).filter(entry => entry.isDirectory());
  expect(folders.map(entry => entry.name).filter(name => !declared.has(name))).toEqual([]);
});
