// Saves one document again and again, in every way that editors have, until it is killed.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [, , file, head] = process.argv;
const text = round => `${head}round ${round} ${'and so on '.repeat(200)}\n`;
const saves = [
  async round => writeFileSync(file, text(round)),
  async round => {
    writeFileSync(`${file}.tmp`, text(round));
    renameSync(`${file}.tmp`, file);
  },
  async round => {
    renameSync(file, `${file}~`);
    await pause(3);
    writeFileSync(file, text(round));
    rmSync(`${file}~`);
  },
  async round => {
    writeFileSync(file, '');
    await pause(3);
    writeFileSync(file, text(round));
  },
  async round => {
    writeFileSync(`${file}___jb_tmp___`, text(round));
    renameSync(file, `${file}___jb_old___`);
    await pause(3);
    renameSync(`${file}___jb_tmp___`, file);
    rmSync(`${file}___jb_old___`);
  },
  async round => {
    writeFileSync(`${file}.new`, text(round));
    rmSync(file);
    await pause(3);
    renameSync(`${file}.new`, file);
  },
];
process.stdout.write('ready\n');
for (let round = 0; ; round += 1) {
  await saves[round % saves.length](round);
  await pause(2);
}
