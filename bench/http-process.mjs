// A served vault in a process of its own, as `sheaf serve` is one; tells its port and a token, and ends when told.
import { mkdirSync } from 'node:fs';
import { Writable } from 'node:stream';
import { initVault, openVault } from '#open-vault';
import { startServer } from '#server';

const [root] = process.argv.slice(2);
mkdirSync(root, { recursive: true });
await initVault({ root, workspaceId: 'ws-bench' });
const vault = await openVault({ root });
const { token } = await vault.principals.add({ id: 'bench', kind: 'service', capabilities: ['*:*'] });
// The log is made and thrown away: what a terminal does with it is not our time. One caller here stands for many principals.
const log = new Writable({ write: (_chunk, _encoding, done) => done() });
const server = await startServer({ vault, port: 0, log, settings: { rateLimit: { perSecond: 1e9, burst: 1e9 } } });
const end = async () => {
  await server.close();
  await vault.close();
  process.disconnect();
};
process.once('message', () => void end());
process.send({ port: server.port, token });
