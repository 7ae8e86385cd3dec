// Somebody with other rights on the files: opens a vault, sends the given requests, and says everything that came of it in one JSON line.
import { writeSync } from 'node:fs';
import { openVault } from '#open-vault';

const [root, stateDir, requests] = process.argv.slice(2);
const principal = {
  id: 'agent:machine',
  kind: 'agent',
  workspaceIds: ['ws-crash'],
  capabilities: ['*:*'],
  authentication: { provider: 'test', assurance: 'verified' },
};
const attempt = async work => {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: `${error.name}: ${error.message}` };
  }
};
const gathered = async items => {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
};

const vault = await openVault({ root, stateDir });
const responses = [];
for (const request of JSON.parse(requests)) responses.push(await vault.execute(request, { principal }));
const report = {
  responses,
  documents: await attempt(() => gathered(vault.list())),
  read: await attempt(async () => (await vault.read('other/b.md')).text),
  events: await attempt(async () => (await gathered(vault.events())).map(({ event }) => event.idempotency_key)),
  status: await attempt(async () => (await vault.status()).rows),
  leases: await attempt(() => vault.leases.list('ws-crash')),
  notices: vault.notices(),
};
writeSync(1, `${JSON.stringify(report)}\n`);
await vault.close();
