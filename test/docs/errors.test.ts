import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from '#errors';

test('docs/reference/errors.md lists exactly the codes that exist', () => {
  const page = readFileSync('docs/reference/errors.md', 'utf8');
  const documented = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(match => match[1]);
  expect(documented).toEqual(Object.keys(errorCodes));
});
