import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDocument } from '#document';
import { loadCoreRegistry, type Registry } from '#registry';
import { type ReferencedSnapshot, validateDocument } from './index.ts';

const registry: Registry = loadCoreRegistry();
// The standard is not part of this repository; SHEAF_STANDARD names a copy, else one beside the checkout is used.
const standard = process.env.SHEAF_STANDARD ?? '../shared/spec/ssss-spec.md';
const present = existsSync(standard);
if (!present) console.log(`Skipped: no copy of the standard at '${standard}'; set SHEAF_STANDARD to check its examples.`);

const examples = (text: string): readonly string[] =>
  [...text.matchAll(/^```markdown\n(---\n.*?)^```$/gms)].map(match => match[1]!).filter(example => /^type: (?!<)/m.test(example));

test.skipIf(!present)('every example document of the standard is valid', () => {
  const found = examples(readFileSync(standard, 'utf8'));
  expect(found.length).toBeGreaterThanOrEqual(20);
  const bucket: ReferencedSnapshot = { type: 'ssss:resource', portability: 'resource_bound', hash: 'sha256:0' };
  const lookup = (path: string) => (path === 'resources/media-bucket.md' ? bucket : null);
  for (const example of found) {
    const verdict = validateDocument(parseDocument(example), registry, lookup);
    expect([example, verdict.errors]).toEqual([example, []]);
    expect([example, verdict.warnings]).toEqual([example, []]);
  }
});

test.skipIf(!present)('the standard’s table of document types names our types with their classes', () => {
  const text = readFileSync(standard, 'utf8');
  const section = text.slice(text.indexOf('### 5.1 '), text.indexOf('### 5.2 '));
  const rows = [...section.matchAll(/^\| `(\w+)` \| ([a-z]+) \| ([a-z_]+) \|/gm)].map(([, type, family, portability]) => ({
    type,
    family,
    portability,
  }));
  expect(rows.toSorted((left, right) => (left.type! < right.type! ? -1 : 1))).toEqual(
    registry.documentTypes
      .map(({ type, family, portability }) => ({ type, family, portability }))
      .toSorted((left, right) => (left.type < right.type ? -1 : 1)),
  );
});
