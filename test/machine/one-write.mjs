// One write by a process of its own, whose clock is off by so many milliseconds. Says the answer and what the vault noticed.
import { writeSync } from 'node:fs';

const [root, stateDir, request, shift] = process.argv.slice(2);
const now = Date.now.bind(Date);
Date.now = () => now() + Number(shift);

const { openVault } = await import('#open-vault');
const vault = await openVault({ root, stateDir });
const response = await vault.execute(JSON.parse(request), {
  principal: {
    id: 'agent:machine',
    kind: 'agent',
    workspaceIds: ['ws-crash'],
    capabilities: ['*:*'],
    authentication: { provider: 'test', assurance: 'verified' },
  },
});
writeSync(1, `${JSON.stringify({ response, notices: vault.notices() })}\n`);
await vault.close();
