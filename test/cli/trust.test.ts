import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeVault, openWorkshop } from './sheaf.ts';

const role = (permission: string): string =>
  `---\ntype: role\ntitle: Desk\ndescription: The front desk.\ntimestamp: 2026-05-16T14:00:00Z\nname: desk\npermissions: ['${permission}']\n---\nBody.\n`;

test('a vault made here is trusted; its copy lists what it brings, and waits until somebody says yes', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  const { inVault, sheaf, directory, vault } = workshop;
  expect(JSON.parse((await inVault('trust', '--list', '--json')).stdout)).toMatchObject({ trusted: true });
  expect((await sheaf(['write', 'roles/desk/ROLE.md'], { cwd: vault, input: role('ssss:rule:*') })).status).toBe(0);
  cpSync(vault, join(directory, 'copy'), { recursive: true });
  const inCopy = (...args: string[]) => sheaf(args, { cwd: join(directory, 'copy') });

  const listed = await inCopy('trust', '--list');
  expect(listed.stdout).toContain('roles/desk/ROLE.md');
  // Nobody is at this terminal, so nobody is asked and nothing is accepted.
  const asked = await inCopy('trust');
  expect(asked.status).toBe(1);
  expect(asked.stderr).toContain('--yes');
  expect((await inCopy('trust', '--yes', '--as', 'agent:a')).status).toBe(2);
  const early = await inCopy('principal', 'add', 'agent:desk', '--kind', 'agent', '--role', 'desk');
  expect(early.stderr).toContain("role 'desk' grants nothing now: only a version of roles/desk/ROLE.md");
  expect(
    (await sheaf(['write', 'rules/a.md', '--as', 'agent:desk'], { cwd: join(directory, 'copy'), input: '---\ntype: rule\n---\n' })).status,
  ).toBe(1);

  expect((await inCopy('trust', '--yes')).status).toBe(0);
  const other = await inCopy('principal', 'add', 'agent:other', '--kind', 'agent', '--role', 'desk');
  expect(other.stderr).not.toContain('grants nothing now');
  const rule = '---\ntype: rule\ntitle: T\ndescription: D\ntimestamp: 2026-05-16T14:00:00Z\nname: R\n---\nBe kind.\n';
  expect((await sheaf(['write', 'rules/a.md', '--as', 'agent:desk'], { cwd: join(directory, 'copy'), input: rule })).status).toBe(0);
});

test('consent is kept outside the vault', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  const [state = ''] = readdirSync(join(workshop.directory, 'state'));
  expect(readdirSync(join(workshop.directory, 'state', state))).toContain('trust.json');
  expect(readdirSync(join(workshop.vault, '.ssss')).filter(name => name.includes('trust'))).toEqual([]);
});

test('an agent that is admitted without a word reads structural types only; others must be told what they may', async () => {
  const workshop = openWorkshop();
  await makeVault(workshop);
  expect((await workshop.inVault('principal', 'add', 'agent:a', '--kind', 'agent')).status).toBe(0);
  const { principals } = { principals: (await workshop.inVault('principal', 'ls', '--json')).stdout };
  const capabilities = (JSON.parse(principals) as { capabilities: string[] }).capabilities;
  expect(capabilities).toContain('ssss:rule:read');
  expect(capabilities).not.toContain('ssss:thread:read');
  expect(capabilities.every(capability => capability.endsWith(':read'))).toBe(true);
  const person = await workshop.inVault('principal', 'add', 'human:mei', '--kind', 'human');
  expect(person.status).toBe(1);
  expect(person.stderr).toContain('capabilities');
});
