import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { environmentIn, runCommands } from './run-commands.ts';

const readme = readFileSync('README.md', 'utf8');
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(match => match[1]!);

let directory: string;
let environment: NodeJS.ProcessEnv;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sheaf-readme-'));
  environment = environmentIn(directory);
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

test('every shell command of the README works, in order, in an empty directory', async () => {
  const lines = blocks('sh')
    .join('')
    .split('\n')
    // Installing and testing cannot run inside the tests; the demo is the command behind `npm run demo`.
    .map(line => (line === 'npm ci && npm run demo' ? 'sheaf demo' : line))
    .filter(line => !line.startsWith('npm ') && !line.startsWith('alias '))
    .map(line => line.replace('sheaf serve', 'sheaf serve --port 4177'));
  expect(lines.filter(line => line.includes('sheaf')).length).toBeGreaterThan(10);
  const run = await runCommands(lines.join('\n'), directory);
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).toContain('memory/invariants/brakes-before-handover.md  Both brakes are tested');
  expect(run.stdout).toContain('memory/preferences/返却のお知らせ.md');
  expect(run.stdout).toMatch(/^[0-9a-f]{12} +local:\S+ .* scope: everyone$/m);
  expect(run.stdout).toContain('+On Sundays we ask twice.');
  expect(run.stdout).toContain('adopted replace  rules/rental-terms.md');
  expect(run.stdout).toMatch(/^done {2}rewrite /m);
  expect(run.stdout).toMatch(/^sound +links of /m);
  expect(run.stdout).toMatch(/^pending +tasks\/morning-checklist\/by-hand-\S+ /m);
  expect(run.stdout).toMatch(/^in .* morning-checklist saturday-0830$/m);
  const terms = readFileSync(join(directory, 'demo-vault/rules/rental-terms.md'), 'utf8');
  const sample = readFileSync('examples/sample-vault/vault/rules/rental-terms.md', 'utf8');
  expect(terms).toBe(`${sample.replaceAll('brakes-before-handover', 'test-the-brakes')}On Sundays we ask twice.\n`);
  expect(run.stdout).toContain('"replay":true');
  expect(run.stdout).toContain('{"status":"ok"}');
  expect(run.stdout).toMatch(/^\d{4}-\S+ .* patch .* rules\/tone\.md +agent:writer /m);
  expect(run.stdout).toContain('"mcpServers"');
  const tone = readFileSync(join(directory, 'my-vault/rules/tone.md'), 'utf8');
  expect(tone).toContain('\nscope: writers\n');
}, 120_000);

test('the library example of the README runs as it stands', () => {
  const [code] = blocks('ts');
  const program = code!.replace("root: 'my-vault'", `root: ${JSON.stringify(join(directory, 'my-vault'))}`);
  expect(program).not.toBe(code);
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env: environment, encoding: 'utf8' });
  expect(run.stderr).toBe('');
  expect(run.stdout).toBe('true\n');
}, 60_000);
