import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '#server';
import { editedVault, eventually, fileFacts, memory, pause } from './edited-vault.ts';

/** The vault behind the server that `sheaf serve` starts, and what it logs. */
const served = async (adopt?: 'on-save') => {
  const edited = await editedVault(adopt === undefined ? {} : { adopt });
  const lines: string[] = [];
  const log = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const server = await startServer({ vault: edited.vault, port: 0, log, stateDir: `${edited.root}/../state` });
  onTestFinished(() => server.close());
  const { token } = await edited.vault.principals.add({ id: 'tester', kind: 'human', capabilities: ['*:*'] });
  const get = (path: string) => fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { ...edited, server, get, lines };
};

test('a served vault says how it notices hand edits, and counts them', async () => {
  const { edit, get, lines } = await served('on-save');
  expect(await (await get('/readyz')).json()).toMatchObject({ status: 'ready', watching: 'events' });
  edit('memory/a.md', memory('secret words'));
  await eventually(async () => expect(await (await get('/metrics')).text()).toContain('sheaf_hand_edits_adopted_total 1\n'));
  const metrics = await (await get('/metrics')).text();
  for (const line of ['sheaf_watching{mode="events"} 1', 'sheaf_file_changes_total 1']) expect(metrics).toContain(`${line}\n`);
  const line = lines.map(text => JSON.parse(text) as { msg: string }).find(({ msg }) => msg === 'hand edit');
  expect(line).toMatchObject({ level: 'info', path: 'memory/a.md', outcome: 'adopted', action: 'create', event_id: expect.any(String) });
  expect(lines.join('')).not.toContain('secret words');
});

test('while an editor saves again and again, the server writes to no file, and every save is the same to who asks', async () => {
  const { at, edit, commit, get, log } = await served();
  await commit('memory/a.md', memory('zero'));
  for (let round = 0; round < 12; round += 1) {
    edit('memory/a.md', memory(`round ${round}`));
    const saved = fileFacts(at('memory/a.md'));
    await pause(round % 3 === 0 ? 260 : 40);
    expect(fileFacts(at('memory/a.md'))).toEqual(saved);
    const document = await get('/v1/documents/memory/a.md');
    expect(await document.text()).toContain(`round ${round}\n`);
  }
  expect(await log()).toEqual(['create memory/a.md']);
});

test('with the server the watch ends', async () => {
  const { vault, server } = await served();
  expect(vault.activity().watching).not.toBeNull();
  await server.close();
  expect(vault.activity().watching).toBeNull();
});
