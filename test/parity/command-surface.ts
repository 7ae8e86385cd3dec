import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CallName } from '#api';
import { clerk, type ParityVault, type Surface } from './surface.ts';

type Input = Readonly<Record<string, unknown>>;
type Rows = readonly Readonly<Record<string, unknown>>[];

/** A command line: what to run, and how its lines of JSON make up what the call gives. */
interface Rendering {
  readonly args: (input: Input) => readonly string[];
  readonly read: (rows: Rows) => unknown;
  readonly stdin?: (input: Input) => string;
}

const flag = (name: string, value: unknown): readonly string[] => (value === undefined ? [] : [name, ...text(value)]);
const text = (value: unknown): readonly string[] =>
  value === undefined ? [] : [typeof value === 'string' ? value : JSON.stringify(value)];
const texts = (value: unknown): readonly string[] => (value as readonly string[] | undefined) ?? [];
const dryRun = (input: Input): readonly string[] => (input.dry_run === true ? ['--dry-run'] : []);
const ticket = (input: Input): readonly string[] => [...flag('--lease', input.lease_id), ...flag('--operation', input.operation_id)];
const one = (rows: Rows): unknown => rows[0];

const renderings: Readonly<Record<CallName, Rendering>> = {
  'envelope.submit': {
    args: () => ['exec'],
    stdin: input => `${JSON.stringify('if_match' in input || 'correlation_id' in input ? input : input.envelope)}\n`,
    read: one,
  },
  'document.read': { args: input => ['cat', ...text(input.path)], read: one },
  'document.list': {
    args: input => ['ls', ...text(input.prefix), ...flag('--type', input.type)],
    read: documents => ({ documents, cursor: null }),
  },
  'document.render': { args: input => ['cat', ...text(input.path), ...flag('--render', input.language)], read: one },
  'document.tree': { args: () => ['tree'], read: rows => ({ rows }) },
  'search.query': {
    args: input => [
      'search',
      ...text(input.q),
      ...flag('--type', input.type),
      ...flag('--in', input.prefix),
      ...(input.private === true ? ['--private'] : []),
    ],
    read: hits => ({ hits }),
  },
  'graph.query': { args: input => ['graph', ...text(input.path), ...flag('--depth', input.depth)], read: one },
  'event.list': {
    args: input => ['log', ...text(input.subject), ...flag('--correlation', input.correlation_id)],
    read: events => ({ events }),
  },
  'event.show': { args: input => ['show', ...text(input.event_id)], read: one },
  'event.sessions': { args: input => ['sessions', ...flag('--limit', input.limit)], read: sessions => ({ sessions, cursor: null }) },
  'event.trace': { args: input => ['trace', ...text(input.id)], read: one },
  'history.show': { args: input => ['show', ...text(input.event_id), '--content'], read: one },
  'history.read': { args: input => ['cat', ...text(input.path), ...flag('--at', input.at)], read: one },
  'history.diff': { args: input => ['diff', ...text(input.path), ...text(input.from), ...text(input.to)], read: one },
  'history.blame': { args: input => ['blame', ...text(input.path), ...flag('--at', input.at)], read: one },
  'history.undo': {
    args: input => ['undo', ...text(input.event_id), ...dryRun(input), ...(input.force === true ? ['--force'] : [])],
    read: one,
  },
  'history.collect': { args: input => ['history', 'gc', ...dryRun(input)], read: one },
  'history.git': { args: input => ['history', 'git', ...text(input.action)], read: one },
  'vault.status': { args: () => ['status'], read: rows => ({ rows }) },
  'vault.adopt': {
    args: input => ['adopt', ...texts(input.paths), ...flag('--correlation', input.correlation_id)],
    read: results => ({ results }),
  },
  'vault.check': { args: input => ['check', ...texts(input.paths)], read: one },
  'vault.recover': { args: () => ['recover'], read: rows => ({ rows }) },
  'index.status': { args: () => ['index', 'status'], read: projections => ({ projections }) },
  'index.rebuild': { args: input => ['index', 'rebuild', ...text(input.id)], read: one },
  'index.repair': { args: () => ['index', 'repair'], read: repaired => ({ repaired }) },
  'links.show': { args: input => ['links', ...text(input.path), ...(input.private === true ? ['--private'] : [])], read: one },
  'links.check': { args: input => ['links', ...texts(input.paths), '--check'], read: one },
  'links.fix': { args: input => ['links', ...texts(input.paths), '--fix', ...dryRun(input)], read: one },
  'links.suggest': { args: input => ['links', ...texts(input.paths), '--suggest'], read: one },
  'links.apply': { args: input => ['links', ...texts(input.paths), '--suggest', '--apply', ...dryRun(input)], read: one },
  'document.move': { args: input => ['mv', ...text(input.from), ...text(input.to), ...dryRun(input)], read: one },
  'toc.write': { args: input => ['toc', ...text(input.directory), ...dryRun(input)], read: pages => ({ pages }) },
  'memory.check': { args: input => ['memory', 'check', ...(input.record === true ? ['--record'] : [])], read: one },
  'memory.resolve': { args: input => ['memory', 'resolve', ...text(input.conflict), ...flag('--keep', input.keep)], read: one },
  'feedback.give': {
    args: input => ['feedback', ...text(input.subject), ...flag('--score', input.score), ...flag('--comment', input.comment)],
    read: one,
  },
  'feedback.rollup': { args: input => ['feedback', ...texts(input.paths), '--rollup'], read: documents => ({ documents }) },
  'workflow.fire': { args: input => ['fire', ...text(input.workflow), ...text(input.trigger), ...flag('--key', input.key)], read: one },
  'task.list': { args: input => ['tasks', ...flag('--status', input.status)], read: tasks => ({ tasks, cursor: null }) },
  'task.claim': {
    args: input => ['claim', ...text(input.task), ...flag('--worker', input.worker), ...flag('--ttl', input.ttl_seconds)],
    read: one,
  },
  'task.step': {
    args: input => ['step', ...text(input.task), ...text(input.text), ...ticket(input), ...flag('--name', input.name)],
    read: one,
  },
  'task.finish': {
    args: input => ['finish', ...text(input.task), ...ticket(input), ...flag('--status', input.status), ...flag('--text', input.text)],
    read: one,
  },
  'task.cancel': { args: input => ['cancel', ...text(input.task), ...flag('--reason', input.reason)], read: one },
  'task.decide': {
    args: input => [input.approve === true ? 'approve' : 'reject', ...text(input.task), ...flag('--reason', input.reason)],
    read: one,
  },
  'run.list': { args: input => ['runs', ...flag('--task', input.task)], read: runs => ({ runs, cursor: null }) },
  'run.show': { args: input => ['runs', ...text(input.run)], read: one },
  'runtime.status': { args: () => ['daemon', '--next'], read: one },
  'lease.acquire': {
    args: input => [
      'lease',
      'acquire',
      ...text(input.target),
      ...flag('--operation', input.operation_id),
      ...flag('--ttl', input.ttl_seconds),
    ],
    read: one,
  },
  'lease.renew': {
    args: input => [
      'lease',
      'renew',
      ...text(input.lease_id),
      ...flag('--operation', input.operation_id),
      ...flag('--ttl', input.ttl_seconds),
    ],
    read: one,
  },
  'lease.release': {
    args: input => ['lease', 'release', ...text(input.lease_id), ...flag('--operation', input.operation_id)],
    read: one,
  },
  'lease.list': { args: () => ['lease', 'ls'], read: leases => ({ leases }) },
  'model.list': {
    args: input => ['model', 'ls', ...(input.discover === true ? ['--discover'] : [])],
    read: models => ({ models, found: [] }),
  },
  'model.set': {
    args: input => [
      'model',
      'set',
      ...text(input.name),
      ...flag('--base-url', input.base_url),
      ...flag('--model', input.model),
      ...flag('--key-env', input.key_env),
      ...flag('--script', input.script),
    ],
    read: one,
  },
  'model.remove': { args: input => ['model', 'rm', ...text(input.name)], read: one },
  'model.test': { args: input => ['model', 'test', ...text(input.name)], read: one },
  'executor.list': {
    args: () => ['executor', 'ls'],
    read: ([{ kind: _, ...assistant } = {}, ...allowed]) => ({ assistant, allowed }),
  },
  'executor.set': {
    args: input => {
      const { argv, origin, path, steps } = input.setting as Readonly<Record<string, unknown>>;
      const what =
        input.kind === 'command' ? texts(argv) : input.kind === 'service' ? [`${String(origin)}${String(path)}`] : flag('--steps', steps);
      return ['executor', 'set', ...text(input.kind), ...text(input.name), ...what];
    },
    read: one,
  },
  'executor.remove': { args: input => ['executor', 'rm', ...text(input.kind), ...text(input.name)], read: one },
  'secret.list': { args: () => ['secret', 'ls'], read: secrets => ({ secrets }) },
  'secret.set': {
    args: input => ['secret', 'set', ...text(input.name), ...flag('--origin', input.origin)],
    stdin: input => String(input.value),
    read: one,
  },
  'secret.remove': { args: input => ['secret', 'rm', ...text(input.name)], read: one },
  'hook.list': { args: () => ['hook', 'ls'], read: hooks => ({ hooks }) },
  'hook.secret': { args: input => ['hook', 'secret', ...text(input.name)], read: one },
  'hook.remove': { args: input => ['hook', 'rm', ...text(input.name)], read: one },
  'registry.show': { args: input => ['registry', 'show', ...text(input.type)], read: one },
  'registry.lock': { args: () => ['registry', 'lock'], read: one },
  'registry.verify': { args: () => ['registry', 'verify'], read: one },
  'primitive.new': { args: input => ['primitive', 'new', ...text(input.primitive_id), ...flag('--name', input.name)], read: one },
  'primitive.check': { args: input => ['primitive', 'check', ...text(input.path)], read: one },
  'primitive.activate': { args: input => ['primitive', 'activate', ...text(input.path)], read: one },
  'index.embedder': { args: () => ['index', 'embedder'], read: one },
  'index.embed': { args: () => ['index', 'embed'], read: one },
  'principal.add': {
    args: input => [
      'principal',
      'add',
      ...text(input.id),
      ...flag('--kind', input.kind),
      ...texts(input.capabilities).flatMap(capability => ['--cap', capability]),
    ],
    read: one,
  },
  'principal.list': { args: () => ['principal', 'ls'], read: principals => ({ principals }) },
  'principal.revoke': { args: input => ['principal', 'revoke', ...text(input.id)], read: one },
  'principal.token': { args: input => ['principal', 'token', ...text(input.id)], read: one },
};

/** The program, one process per call. */
export const commandSurface = ({ root, stateDir }: ParityVault): Surface => {
  const nobody = join(root, '..', 'nobody.json');
  writeFileSync(nobody, 'null');
  return {
    name: 'command line',
    missing: [],
    ask: async (call, input, who) => {
      const { args, read, stdin } = renderings[call];
      const identity = { person: [], clerk: ['--as', clerk], nobody: ['--principal', nobody] }[who];
      const { status, out, err } = await run([...args(input), '--json', '--vault', root, ...identity], stdin?.(input) ?? '', stateDir);
      const rows = out
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as Record<string, unknown>);
      // What was found is printed also when it makes the command fail, as a check of a broken document does.
      const refused = /\[([a-z_]+)\]\s*$/m.exec(err)?.[1];
      if (status === 2) throw new Error(err);
      return rows.length === 0 && refused !== undefined ? { refused } : { output: read(rows) };
    },
    shown: (call, outcome) => {
      if ('refused' in outcome) return outcome;
      const { rows, outcomes, in_flight: inFlight, results, events } = outcome.output as Readonly<Record<string, Rows>>;
      if (call === 'search.query') return { output: { hits: (outcome.output as { readonly hits: Rows }).hits } };
      if (call === 'vault.status') return { output: { rows } };
      if (call === 'vault.recover') return { output: { rows: [...(outcomes ?? []), ...(inFlight ?? [])] } };
      if (call === 'vault.adopt') return { output: { results } };
      return call === 'event.list' ? { output: { events } } : outcome;
    },
  };
};

const run = (
  args: readonly string[],
  input: string,
  stateDir: string,
): Promise<{ readonly status: number | null; readonly out: string; readonly err: string }> =>
  new Promise((done, reject) => {
    const env = { ...process.env, SHEAF_STATE_DIR: stateDir };
    const child = spawn(process.execPath, [resolve('bin/sheaf.cjs'), ...args], { env });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', status => done({ status, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
