// Opens a vault, lets 64 callers commit, and says how much memory it took at most.
import { openOurs, rule } from './bench-vault.mjs';

const [root, callers, rounds] = process.argv.slice(2);
const ours = await openOurs(root, { init: false });
const each = async () => {
  for (let i = 0; i < Number(rounds); i++) await ours.commit(rule(`m${process.pid}`));
};
await Promise.all(Array.from({ length: Number(callers) }, each));
await ours.close();
process.stdout.write(String(process.resourceUsage().maxRSS / 1024));
