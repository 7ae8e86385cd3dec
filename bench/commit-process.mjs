// One of several processes that commit into one vault at once: 64 callers on paths of their own, `rounds` documents each per "go".
import { openOurs, rule } from './bench-vault.mjs';

const [root, name, callers, rounds] = process.argv.slice(2);
const ours = await openOurs(root, { init: false });
const each = async () => {
  for (let i = 0; i < Number(rounds); i++) await ours.commit(rule(name));
};
const answer = async message => {
  if (message === 'go') {
    await Promise.all(Array.from({ length: Number(callers) }, each));
    process.send('done');
  } else {
    await ours.close();
    process.disconnect();
  }
};
process.on('message', message => void answer(message));
process.send('ready');
