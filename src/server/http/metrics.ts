import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { KernelResponse, Vault } from '#api';

/** What this server has done, for Prometheus. */
export interface Metrics {
  /** The vault with every envelope counted and timed, whichever way it came. */
  observe(vault: Vault): Vault;
  countRequest(route: string, method: string, status: number, seconds: number): void;
  readonly contentType: string;
  text(): Promise<string>;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A registry of its own: two servers in one process must not count into each other. */
export const createMetrics = (): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  const envelopes = new Counter({
    name: 'sheaf_envelopes_total',
    help: 'Envelopes by outcome: commit, replay, dry_run, unchanged, or the error code.',
    labelNames: ['type', 'outcome'],
    registers,
  });
  const commits = new Counter({
    name: 'sheaf_commits_total',
    help: 'Envelopes committed by this server.',
    labelNames: ['type'],
    registers,
  });
  const replays = new Counter({ name: 'sheaf_replays_total', help: 'Envelopes answered with an earlier result.', registers });
  const conflicts = new Counter({
    name: 'sheaf_conflicts_total',
    help: 'Envelopes refused because of another writer, a lease or a used key.',
    labelNames: ['code'],
    registers,
  });
  const latency = new Histogram({
    name: 'sheaf_envelope_seconds',
    help: 'Time of one envelope in the kernel.',
    labelNames: ['outcome'],
    buckets: seconds,
    registers,
  });
  const requests = new Histogram({
    name: 'sheaf_http_request_seconds',
    help: 'Time of one HTTP request.',
    labelNames: ['route', 'method', 'status'],
    buckets: seconds,
    registers,
  });
  const underWay = new Gauge({ name: 'sheaf_envelopes_in_flight', help: 'Envelopes in the kernel now.', registers });

  const count = (response: KernelResponse, took: number): void => {
    const outcome = outcomeOf(response);
    const type = response.type ?? 'none';
    envelopes.inc({ type, outcome });
    // Refusals are as many as codes; one latency series for all of them is enough.
    latency.observe({ outcome: response.success ? outcome : 'refused' }, took);
    if (outcome === 'commit') commits.inc({ type });
    if (outcome === 'replay') replays.inc();
    if (outcome.endsWith('_conflict')) conflicts.inc({ code: outcome });
  };

  let observed: Vault | null = null;
  return {
    observe: vault => {
      observed = vault;
      watchVault(vault, registers);
      return {
        ...vault,
        execute: async (envelope, context) => {
          const start = performance.now();
          underWay.inc();
          try {
            const response = await vault.execute(envelope, context);
            count(response, (performance.now() - start) / 1000);
            return response;
          } finally {
            underWay.dec();
          }
        },
      };
    },
    countRequest: (route, method, status, took) => requests.observe({ route, method, status }, took),
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}${observed === null ? '' : batchSizes(observed)}`,
  };
};

/** What the vault itself knows, read when somebody asks. */
const watchVault = (vault: Vault, registers: Registry[]): void => {
  new Gauge({
    name: 'sheaf_recoveries',
    help: 'Leftover commits decided since the start, by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const { outcome } of vault.recoveries) this.inc({ outcome });
    },
  });
  new Gauge({
    name: 'sheaf_projection_lag_events',
    help: 'Events in the log that a projection has not applied yet.',
    labelNames: ['projection'],
    registers,
    collect() {
      this.set({ projection: 'event_index' }, vault.activity().unindexedEvents);
    },
  });
  watchFiles(vault, registers);
  new Gauge({
    name: 'sheaf_notices',
    help: 'Notices about store, configuration and recovery; `sheaf status` shows them.',
    registers,
    collect() {
      this.set(vault.notices().length);
    },
  });
};

const watchFiles = (vault: Vault, registers: Registry[]): void => {
  new Gauge({
    name: 'sheaf_watching',
    help: 'How hand edits are noticed: 1 for the mode that holds, events or scanning.',
    labelNames: ['mode'],
    registers,
    collect() {
      this.reset();
      const mode = vault.activity().watching?.mode;
      if (mode !== undefined) this.set({ mode }, 1);
    },
  });
  const counts = [
    ['changes', 'sheaf_file_changes_total', 'Files that were changed, by hand or by commits, and have settled.'],
    ['adopted', 'sheaf_hand_edits_adopted_total', 'Hand edits that were recorded in the log on save.'],
  ] as const;
  for (const [member, name, help] of counts) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(vault.activity().watching?.[member] ?? 0);
      },
    });
  }
};

const outcomeOf = (response: KernelResponse): string => {
  if (!response.success) return response.error.code;
  if (response.replay === true) return 'replay';
  if (response.dry_run) return 'dry_run';
  return response.unchanged === true ? 'unchanged' : 'commit';
};

/** A histogram in the exposition format, written out here because the store counts and the library would want to be told each time. */
const batchSizes = (vault: Vault): string => {
  const sizes = [...vault.activity().batchSizes];
  const count = sizes.reduce((sum, [, times]) => sum + times, 0);
  const commits = sizes.reduce((sum, [size, times]) => sum + size * times, 0);
  const upTo = (bound: number): number => sizes.reduce((sum, [size, times]) => sum + (size <= bound ? times : 0), 0);
  const name = 'sheaf_commit_batch_size';
  return [
    `# HELP ${name} How many commits ran together.`,
    `# TYPE ${name} histogram`,
    ...[1, 2, 4, 8, 16, 32, 64, 128, 256].map(bound => `${name}_bucket{le="${bound}"} ${upTo(bound)}`),
    `${name}_bucket{le="+Inf"} ${count}`,
    `${name}_sum ${commits}`,
    `${name}_count ${count}`,
    '',
  ].join('\n');
};
