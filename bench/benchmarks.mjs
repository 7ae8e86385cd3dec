// Every benchmark: what is compared, and the goal it is held against (docs/performance.md says how, and where we lose).
import { commitGroup, commitSerial, versusGit, versusSqlite, versusUnsafe } from './commit-benchmarks.mjs';
import { documentParse, documentPatch } from './document-benchmarks.mjs';
import { httpCommit } from './http-benchmarks.mjs';
import { commitFlat, lookupKey, memoryPeak, openCold } from './log-benchmarks.mjs';
import { commitProcesses } from './process-benchmarks.mjs';
import { scanCold, scanIncremental } from './scan-benchmarks.mjs';
import { searchBuild, searchQuery } from './search-benchmarks.mjs';

const perDocument = 'ms/document';
/** Large data takes minutes to build, so there the repetitions are few. */
const large = ({ full }) => (full ? { events: 1_000_000, documents: 100_000 } : { events: 100_000, documents: 10_000 });
const fewer = ({ full, repetitions }) => (full ? 5 : repetitions);

export const benchmarks = {
  'commit.serial': { other: 'three barriers in series', unit: perDocument, goal: 1.25, run: commitSerial },
  'commit.group64': { other: 'batched floor', unit: perDocument, goal: 1.5, run: options => commitGroup({ ...options, callers: 64 }) },
  'commit.group256': {
    other: 'batched floor',
    unit: perDocument,
    goal: 2,
    run: options => commitGroup({ ...options, callers: 256, rounds: 2 }),
  },
  'commit.flat1': {
    other: 'empty log',
    unit: perDocument,
    goal: 1.15,
    run: options => commitFlat({ ...options, ...large(options), callers: 1 }),
  },
  'commit.flat64': {
    other: 'empty log',
    unit: perDocument,
    goal: 1.15,
    run: options => commitFlat({ ...options, ...large(options), callers: 64, size: 256 }),
  },
  'commit.procs2': {
    other: 'one process; ratio: times as many documents per second',
    unit: perDocument,
    goal: 1.5,
    atLeast: true,
    run: options => commitProcesses({ ...options, count: 2 }),
  },
  'commit.procs4': {
    other: 'one process; ratio: times as many documents per second',
    unit: perDocument,
    goal: 1.5,
    atLeast: true,
    run: options => commitProcesses({ ...options, count: 4 }),
  },
  'lookup.key': {
    other: 'log of 100 events',
    unit: 'µs',
    goal: 50,
    absolute: true,
    run: options => lookupKey({ ...options, ...large(options) }),
  },
  'vs.git': { other: 'git add + git commit per change', unit: perDocument, goal: 0.25, run: versusGit },
  'vs.sqlite1': {
    other: 'one SQLite FULL transaction per document',
    unit: perDocument,
    goal: 3.5,
    run: options => versusSqlite({ ...options, callers: 1, rounds: 60 }),
  },
  'vs.sqlite64': {
    other: 'one SQLite FULL transaction per document',
    unit: perDocument,
    goal: 0.5,
    run: options => versusSqlite({ ...options, callers: 64, rounds: 4 }),
  },
  'vs.unsafe': {
    other: 'write + rename, no sync',
    unit: perDocument,
    goal: 1.2,
    run: options => versusUnsafe({ ...options, callers: 64 }),
  },
  'doc.parse': { other: 'js-yaml load', unit: perDocument, goal: 0.35, run: documentParse },
  'doc.patch': { other: 'js-yaml load + dump', unit: perDocument, goal: 0.3, run: documentPatch },
  'scan.cold': {
    other: 'list + read + sha256',
    unit: 'ms',
    goal: 1.8,
    run: options => scanCold({ ...options, ...large(options), repetitions: fewer(options) }),
  },
  'scan.incremental': {
    other: 'the same, cold',
    unit: 'ms',
    goal: 0.12,
    run: options => scanIncremental({ ...options, ...large(options), repetitions: fewer(options) }),
  },
  'search.build': {
    other: 'MiniSearch, same texts and tokens',
    unit: 'ms',
    goal: 0.3,
    run: options => searchBuild({ ...options, ...large(options), repetitions: options.full ? 3 : options.repetitions }),
  },
  'search.query': {
    other: 'MiniSearch, same texts and tokens',
    unit: 'ms',
    goal: 0.2,
    run: options => searchQuery({ ...options, ...large(options), repetitions: fewer(options) }),
  },
  'open.cold': {
    other: 'the same on an empty vault',
    unit: 'ms',
    goal: 3,
    run: options => openCold({ ...options, ...large(options) }),
  },
  'http.commit': {
    other: '64 callers in process',
    unit: perDocument,
    goal: 1.4,
    run: options => httpCommit({ ...options, callers: 64 }),
  },
  'memory.peak': {
    other: '64 writers on an empty vault',
    unit: 'MiB',
    goal: 300,
    absolute: true,
    run: options => memoryPeak({ ...options, ...large(options), repetitions: 3 }),
  },
};
