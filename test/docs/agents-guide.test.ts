import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mcpClients } from '../../src/cli/mcp/client-config.ts';
import { tools } from '../../src/server/mcp/tools/all-tools.ts';
import { runCommands } from './run-commands.ts';

const guide = readFileSync('docs/guides/agents.md', 'utf8');
const reference = readFileSync('docs/reference/mcp.md', 'utf8');

test('every command of the guide works, in order, in an empty directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sheaf-agents-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const run = await runCommands([...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join(''), directory);
  expect(run.status, run.stderr).toBe(0);
  const { stdout } = run;
  const replies = stdout
    .split('\n')
    .filter(line => line.startsWith('{"result"'))
    .map(line => JSON.parse(line) as Reply);
  const texts = replies.flatMap(({ result }) => result.content ?? []).map(({ text }) => text.split('\n')[0]);
  expect(texts).toEqual(['done: committed', 'kind: document', 'done: committed', 'refused: forbidden', 'done: committed']);
  expect(stdout).toContain('lacks ssss:rule:patch');
  for (const actor of ['agent:by-hand', 'agent:writer', 'agent:night']) expect(stdout).toMatch(new RegExp(`^\\d{4}-.* ${actor} `, 'm'));
  expect(stdout).not.toMatch(/^\d{4}-.* agent:reader /m);
  expect(readFileSync(join(directory, 'shop/rules/rental-terms.md'), 'utf8')).toContain('\nscope: counter\n');
  const config = JSON.parse(readFileSync(join(directory, 'shop/.mcp.json'), 'utf8')) as { mcpServers: { sheaf: { args: string[] } } };
  expect(config.mcpServers.sheaf.args.filter(argument => argument.startsWith('/')).every(existsSync)).toBe(true);
}, 180_000);

interface Reply {
  readonly result: { readonly content?: readonly { readonly text: string }[] };
}

test('the guide has a row for every client that has a configuration, with its file', () => {
  const rows = [...guide.matchAll(/^\| [^|]+ \| ([^|]+) \| `([a-z][a-z-]*)` \|$/gm)].map(([, file = '', name = '']) => [
    name,
    file.replaceAll('`', ''),
  ]);
  expect(rows.map(([name]) => name)).toEqual(Object.keys(mcpClients));
  for (const [name = '', file = ''] of rows)
    expect(file.startsWith(mcpClients[name as keyof typeof mcpClients].file), `${name}: ${file}`).toBe(true);
});

test('the reference has a row for every tool with its arguments, and no other', () => {
  const common = /^`…`: (.*)\.$/m.exec(reference)?.[1]?.replaceAll('`', '').split(', ') ?? [];
  const rows = [...reference.matchAll(/^\| `([a-z_]+)` \| ([^|]*) \|/gm)].map(([, name = '', list = '']) => [
    name,
    list
      .replaceAll('`', '')
      .split(', ')
      .flatMap(argument => (argument === '…' ? common : [argument])),
  ]);
  const declared = tools.map(({ name, input }) => {
    const shape = (input as unknown as { shape: Record<string, { safeParse(value: undefined): { success: boolean } }> }).shape;
    return [
      name,
      Object.entries(shape).map(
        ([argument, type]) => `${argument}${argument !== 'envelope' && type.safeParse(undefined).success ? '?' : ''}`,
      ),
    ];
  });
  expect(rows).toEqual(declared);
});
