// Renders the newest recorded benchmark results as the tables of docs/performance.md. `--write` puts them there; the test compares.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const page = 'docs/performance.md';
const start = '<!-- results: made by `node scripts/performance-table.mjs --write` from bench/results/ -->\n';
const end = '<!-- end of results -->';

const cell = ({ median, q1, q3 }) => `${median.toPrecision(3)} [${q1.toPrecision(3)}–${q3.toPrecision(3)}]`;

const row = ([id, { ours, other, other_name, ratio, goal, atLeast, absolute, unit, met }]) =>
  `| ${id} | ${cell(ours)} ${unit} | ${cell(other)} | ${other_name} | ${cell(ratio)} | ${atLeast ? '≥' : '≤'} ${goal}${absolute ? ` ${unit}` : ''} | ${met ? 'met' : 'missed'} |`;

const newest = mode =>
  readdirSync('bench/results')
    .filter(name => /^\d{4}-\d\d-\d\d-/.test(name) && name.endsWith(`-${mode}.json`))
    .sort()
    .at(-1);

const table = mode => {
  const name = newest(mode);
  if (name === undefined) return '';
  const { results, date, file_system, node } = JSON.parse(readFileSync(`bench/results/${name}`, 'utf8'));
  const title = mode === 'full' ? '100,000 documents and 1,000,000 events' : '10,000 documents and 100,000 events where size matters';
  const rows = Object.entries(results).map(row);
  return `${title} (${date.slice(0, 10)}, ${file_system}, Node ${node}):\n\n| id | ours | other | which is | ratio | goal | |\n|---|---|---|---|---|---|---|\n${rows.join('\n')}\n\n`;
};

const text = readFileSync(page, 'utf8');
const [head, rest] = text.split(start);
if (rest === undefined) throw new Error(`${page} has no place for the results`);
const rendered = `${head}${start}\n${table('short')}${table('full')}${end}${rest.slice(rest.indexOf(end) + end.length)}`;

if (process.argv.includes('--write')) writeFileSync(page, rendered);
else if (rendered !== text) {
  console.error(`${page} does not show the newest results: node scripts/performance-table.mjs --write`);
  process.exitCode = 1;
}
