// Someone without manners in the same directory: puts a link in the place of a file or directory and takes it away again, until killed.
import { renameSync, symlinkSync, writeSync } from 'node:fs';

const [place, aside, target] = process.argv.slice(2);
const link = `${aside}-link`;
const done = work => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

let heap = 0;
/** Moves `from` to the place; what was made there meanwhile is thrown on a heap. */
const put = from => {
  if (done(() => renameSync(from, place))) return;
  heap += 1;
  done(() => renameSync(place, `${aside}-heap-${heap}`));
  done(() => renameSync(from, place));
};

symlinkSync(target, link);
for (let round = 0; ; round += 1) {
  done(() => renameSync(place, aside));
  put(link);
  done(() => renameSync(place, link));
  put(aside);
  if (round === 0) writeSync(1, 'ready\n');
}
