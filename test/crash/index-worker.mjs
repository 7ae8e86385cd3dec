// Builds what is derived from a vault anew, again and again, and says so; with `search` it only asks.
import { writeSync } from 'node:fs';
import { openVault } from '#open-vault';

const [root, stateDir, what, rounds] = process.argv.slice(2);
const vault = await openVault({ root, stateDir });
for (let round = 0; round < Number(rounds); round += 1) {
  writeSync(1, `${JSON.stringify({ begins: round })}\n`);
  if (what === 'rebuild') await vault.index.rebuild();
  const { total } = await vault.search('everywhere');
  writeSync(1, `${JSON.stringify({ found: total })}\n`);
}
await vault.close();
