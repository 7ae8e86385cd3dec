// `npm run bench [-- --full] [-- --record] [-- --id X…]`: each line is ours, the other and their ratio, from one interleaved run.
// Prints a table, and writes it as JSON with the facts of the machine to bench/results/.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// Before anything starts the thread pool: many syncs at once are what it is for.
process.env.UV_THREADPOOL_SIZE ??= '24';
const { benchmarks } = await import('./benchmarks.mjs');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    id: { type: 'string', multiple: true, default: [] },
  },
});
const wanted = [...options.id, ...positionals];
const unknown = wanted.filter(id => !Object.hasOwn(benchmarks, id));
if (unknown.length > 0) {
  console.error(`unknown benchmark ${unknown.join(', ')}; there are: ${Object.keys(benchmarks).join(', ')}`);
  process.exit(2);
}
const base = process.env.SHEAF_BENCH_DIR ?? tmpdir();

const fileSystem = () => {
  try {
    return execFileSync('stat', ['-f', '-c', '%T', base], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
};

const facts = {
  date: new Date().toISOString(),
  file_system: fileSystem(),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  processors: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  memory_gib: Math.round(totalmem() / 2 ** 30),
  mode: options.full ? 'full' : 'short',
};
const cell = ({ median, q1, q3 }) => `${median.toPrecision(3)} [${q1.toPrecision(3)}–${q3.toPrecision(3)}]`;
const goalText = ({ goal, atLeast, absolute, unit }) => `${atLeast ? '≥' : '≤'} ${goal}${absolute ? ` ${unit}` : ''}`;

console.log(
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(' · '),
);
console.log('\n| id | ours | other | ratio | goal | |\n|---|---|---|---|---|---|');
const results = {};
for (const [id, benchmark] of Object.entries(benchmarks)) {
  if (wanted.length > 0 ? !wanted.includes(id) : benchmark.onlyFull && !options.full) continue;
  const started = performance.now();
  const measured = await benchmark.run({ base, full: options.full, repetitions: options.full ? 21 : 9 });
  const figure = benchmark.absolute ? measured.ours.median : measured.ratio.median;
  const met = benchmark.atLeast ? figure >= benchmark.goal : figure <= benchmark.goal;
  const { run: _, other: other_name, ...about } = benchmark;
  results[id] = { ...measured, other_name, ...about, met, seconds: Math.round((performance.now() - started) / 1000) };
  console.log(
    `| ${id} | ${cell(measured.ours)} ${benchmark.unit} | ${cell(measured.other)} (${benchmark.other}) | ${cell(measured.ratio)} | ${goalText(benchmark)} | ${met ? 'met' : 'MISSED'} |`,
  );
}

mkdirSync('bench/results', { recursive: true });
const file = join('bench/results', options.record ? `${facts.date.slice(0, 10)}-${facts.mode}.json` : 'last.json');
writeFileSync(file, `${JSON.stringify({ ...facts, results }, null, 2)}\n`);
console.log(`\nwritten to ${file}`);
