// `npm run bench [-- --full] [-- id…]`: each line is ours, the other and their ratio, from one interleaved run.
// Prints a table and writes the same as JSON to bench/results/.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

process.env.UV_THREADPOOL_SIZE ??= '24';
const { commitGroup, commitSerial, versusGit } = await import('./commit-benchmarks.mjs');
const { documentParse, documentPatch } = await import('./document-benchmarks.mjs');

const full = process.argv.includes('--full');
const wanted = process.argv.slice(2).filter(word => !word.startsWith('--'));
const base = process.env.SHEAF_BENCH_DIR ?? tmpdir();
const repetitions = full ? 21 : 9;

const benchmarks = {
  'commit.serial': { other: 'three barriers in series', unit: 'ms/document', goal: 1.25, run: () => commitSerial({ base, repetitions }) },
  'commit.group64': {
    other: 'batched floor, 64 documents',
    unit: 'ms/document',
    goal: 1.5,
    run: () => commitGroup({ base, repetitions, callers: 64 }),
  },
  'commit.group256': {
    other: 'batched floor, 256 documents',
    unit: 'ms/document',
    goal: 2,
    run: () => commitGroup({ base, repetitions, callers: 256, rounds: 2 }),
  },
  'doc.parse': { other: 'js-yaml load', unit: 'ms/document', goal: 0.35, run: () => documentParse({ repetitions }) },
  'doc.patch': { other: 'js-yaml load + dump', unit: 'ms/document', goal: 0.3, run: () => documentPatch({ repetitions }) },
  'vs.git': { other: 'git add + git commit per change', unit: 'ms/document', goal: 0.25, run: () => versusGit({ base, repetitions }) },
};

const unknown = wanted.filter(id => !Object.hasOwn(benchmarks, id));
if (unknown.length > 0) {
  console.error(`unknown benchmark ${unknown.join(', ')}; there are: ${Object.keys(benchmarks).join(', ')}`);
  process.exit(2);
}

const fileSystem = () => {
  try {
    return execFileSync('stat', ['-f', '-c', '%T', base], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
};

const cell = ({ median, q1, q3 }) => `${median.toPrecision(3)} [${q1.toPrecision(3)}–${q3.toPrecision(3)}]`;
const results = {};
console.log(
  `file system ${fileSystem()} at ${base}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${repetitions} interleaved repetitions\n`,
);
console.log('| id | ours, ms/document | other, ms/document | ratio | goal | |');
console.log('|---|---|---|---|---|---|');
for (const [id, benchmark] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(id)) continue;
  const measured = await benchmark.run();
  results[id] = { ...measured, other_is: benchmark.other, unit: benchmark.unit, goal: benchmark.goal };
  const verdict = measured.ratio.median <= benchmark.goal ? 'met' : 'MISSED';
  console.log(
    `| ${id} | ${cell(measured.ours)} | ${cell(measured.other)} (${benchmark.other}) | ${cell(measured.ratio)} | ≤ ${benchmark.goal} | ${verdict} |`,
  );
}

mkdirSync('bench/results', { recursive: true });
const file = join('bench/results', `${new Date().toISOString().replaceAll(':', '-')}.json`);
writeFileSync(file, `${JSON.stringify({ file_system: fileSystem(), node: process.version, repetitions, results }, null, 2)}\n`);
console.log(`\nwritten to ${file}`);
