import { expect, test } from 'vitest';
import { errorCodes, errorStatuses } from '#errors';
import { openMemoryVault } from '#open-vault';
import { checkSpecification } from './check-specification.ts';

const example = (type: string, name: string): string =>
  `\`\`\`markdown\n---\ntype: ${type}\n${name}title: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\n---\nBody.\n\`\`\`\n`;

// A text of the standard's shape, made from this build, so that only what a test changes can differ.
const standard = async (): Promise<string> => {
  const { registry } = await openMemoryVault();
  const types = registry.documentTypes.map(({ type, family, portability }) => `| \`${type}\` | ${family} | ${portability} | P. |`);
  const codes = Object.entries(errorCodes).map(
    ([code, meaning]) => `| \`${code}\` | ${errorStatuses[code as keyof typeof errorStatuses]} | ${meaning} |`,
  );
  return [
    '### 5.1 Types',
    '| `type` | Family | Portability | Purpose |',
    '|---|---|---|---|',
    ...types,
    '### 5.4 Schemas',
    example('rule', 'name: R\n'),
    '### 6.5 Codes',
    ...codes,
    '## 7 Leases',
  ].join('\n');
};

test('a standard that says what this build does has no problems', async () => {
  const report = await checkSpecification(await standard());
  expect(report).toEqual({ examples: 1, types: 20, codes: 9, problems: [] });
});

test('an example that does not validate is named with its line', async () => {
  const text = (await standard()).replace('name: R\n', '');
  expect((await checkSpecification(text)).problems).toEqual([expect.stringMatching(/^line 26: the example of 'rule' is refused: name: /)]);
});

test('a class or a status that differs is a problem', async () => {
  const text = (await standard())
    .replace('| `task` | work | tenant_private |', '| `task` | work | structural |')
    .replace('| `not_found` | 404 |', '| `not_found` | 410 |');
  const { problems } = await checkSpecification(text);
  expect(problems).toEqual([
    expect.stringContaining("'task' is structural, here tenant_private"),
    expect.stringContaining("'not_found' has status 410"),
  ]);
});

test('a text without examples and tables does not pass', async () => {
  const { problems } = await checkSpecification('# Something else\n');
  expect(problems).toContain('no example document found: is this a copy of the standard?');
  expect(problems).toHaveLength(1 + 20 + 9);
});
