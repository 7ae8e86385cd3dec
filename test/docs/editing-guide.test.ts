import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommands } from './run-commands.ts';

const guide = readFileSync('docs/guides/editing-by-hand.md', 'utf8');

test('every command of the guide works, in order, in an empty directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-editing-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const { status, stdout, stderr } = await runCommands(
    [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join(''),
    directory,
  );
  expect(status, stderr).toBe(0);
  const lines = stdout.split('\n');
  for (const said of [
    /^drift replace +rules\/rental-terms\.md/,
    /^rules\/rental-terms\.md +Rental terms/,
    /^adopted replace {2}rules\/rental-terms\.md/,
    /^refused, as it should be$/,
    /^Keys hang behind the door\.$/,
    /^not yet$/,
    /^adopted create {2}rules\/keys\.md/,
    /^conflict_copy +rules\/keys \(conflicted copy 2026-05-16\)\.md .*'rules\/keys\.md'/,
    /^conflict_marker +rules\/keys\.md .*line 9/,
    /^resolve the conflict first$/,
    /^clean {2}files and log agree/,
  ])
    expect(lines, String(said)).toContainEqual(expect.stringMatching(said));
  for (const told of ['version_conflict', 'changed outside Sheaf']) expect(stderr).toContain(told);
  const file = readFileSync(join(directory, 'shop/rules/keys.md'), 'utf8');
  expect(file.endsWith('Keys are counted at night.\nAt night.\nAnd in the morning.\n')).toBe(true);
  // Twice by hand, and the last one by the server.
  expect(lines.filter(line => /document_adopted +rules\/keys\.md/.test(line))).toHaveLength(3);
  expect(lines.filter(line => line.startsWith('clean'))).toHaveLength(2);
}, 180_000);
