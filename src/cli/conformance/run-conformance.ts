import { packageRoot } from '../package-root.ts';
import { endpointSurface, metFloor, runsAtEndpoint } from './endpoint-surface.ts';
import { execSurface } from './exec-surface.ts';
import { groupBy } from './group-by.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import { fsSurface, memorySurface } from './library-surface.ts';
import { loadScenarios, type ScenarioSet } from './load-scenarios.ts';
import { runScenario, type ScenarioResult } from './run-scenario.ts';
import type { Scenario, SurfaceName } from './scenario.ts';
import type { Surface } from './vault-under-test.ts';
import { endWorkers } from './worker-pool.ts';

/** Everything a run of the suite found. */
export interface ConformanceReport {
  readonly set: ScenarioSet;
  readonly results: readonly ScenarioResult[];
  /** Scenarios whose surfaces gave different answers. */
  readonly disagreements: readonly string[];
  /** Scenarios not run on a surface, with the reason. */
  readonly skipped: readonly { readonly id: string; readonly surface: Surface['name']; readonly reason: string }[];
}

export interface ConformanceOptions {
  readonly surfaces?: readonly SurfaceName[];
  /** Only scenarios whose id begins so. */
  readonly only?: string;
  readonly signal?: AbortSignal;
  onResult?(result: ScenarioResult): void;
}

/** Our own scenarios, as they ship with the package. */
const scenarioDirectory = `${packageRoot}/test/conformance`;

const surfaces: Readonly<Record<SurfaceName, () => Surface>> = { memory: memorySurface, fs: fsSurface, exec: execSurface };

/** Scenarios that have a vault of their own run a few at a time: most of their time is waiting for the disk. */
const lanes = 4;

/** Runs every scenario on every surface it names and compares the answers. */
export const runConformance = async (options: ConformanceOptions = {}): Promise<ConformanceReport> => {
  const set = loadScenarios(scenarioDirectory);
  const all = set.files.flatMap(file => file.scenarios).filter(scenario => scenario.id.startsWith(options.only ?? ''));
  const names = options.surfaces ?? (Object.keys(surfaces) as SurfaceName[]);
  const results: ScenarioResult[] = [];
  for (const name of names) {
    const surface = surfaces[name]();
    try {
      results.push(
        ...(await runOn(
          surface,
          all.filter(scenario => scenario.surfaces.includes(name)),
          options,
        )),
      );
    } finally {
      await surface.close();
      await endWorkers();
    }
  }
  const skipped = names.flatMap(surface =>
    all
      .filter(scenario => !scenario.surfaces.includes(surface))
      .map(({ id, steps, given }) => ({ id, surface, reason: reasonNotOn(surface, steps, given) })),
  );
  return { set, results, disagreements: disagreements(results), skipped };
};

/** Runs what needs nothing but requests against a host elsewhere. */
export const runAtEndpoint = async (
  endpoint: HttpEndpoint,
  options: Pick<ConformanceOptions, 'only' | 'signal' | 'onResult'> = {},
): Promise<ConformanceReport> => {
  const set = loadScenarios(scenarioDirectory);
  const all = set.files.flatMap(file => file.scenarios).filter(scenario => scenario.id.startsWith(options.only ?? ''));
  const byId = new Map(all.map(scenario => [scenario.id, scenario]));
  const ran = await runOn(endpointSurface(endpoint), all.filter(runsAtEndpoint), options);
  const stopped = ran.filter(({ id, problems }) => metFloor(byId.get(id)!, problems));
  const skip =
    (reason: string) =>
    ({ id }: { readonly id: string }) => ({ id, surface: 'http' as const, reason });
  return {
    set,
    results: ran.filter(result => !stopped.includes(result)),
    disagreements: [],
    skipped: [
      ...all.filter(scenario => !runsAtEndpoint(scenario)).map(skip('needs a vault, principals or processes of its own')),
      ...stopped.map(skip('the host lets this token decide about nobody’s rights (§6.6), a person’s session may')),
    ],
  };
};

const runOn = async (surface: Surface, scenarios: readonly Scenario[], options: ConformanceOptions): Promise<readonly ScenarioResult[]> => {
  const results: ScenarioResult[] = [];
  const queue = [...scenarios];
  const work = async (take: () => Scenario | undefined): Promise<void> => {
    for (let scenario = take(); scenario !== undefined; scenario = take()) {
      options.signal?.throwIfAborted();
      const result = await runScenario(scenario, surface);
      results.push(result);
      options.onResult?.(result);
    }
  };
  const alone = queue.filter(scenario => surface.exclusive?.(scenario) === true);
  const rest = queue.filter(scenario => !alone.includes(scenario));
  await Promise.all([work(() => alone.shift()), ...Array.from({ length: lanes }, () => work(() => rest.shift()))]);
  return results;
};

const disagreements = (results: readonly ScenarioResult[]): readonly string[] => {
  const byId = groupBy(results, result => result.id);
  return [...byId].flatMap(([id, group]) => {
    const answers = group.map(result => `${result.surface}: ${result.outcomes.join(', ')}`);
    return new Set(group.map(result => result.outcomes.join(', '))).size > 1 ? [`${id} — ${answers.join(' | ')}`] : [];
  });
};

const reasonNotOn = (surface: SurfaceName, steps: Scenario['steps'], given: Scenario['given']): string => {
  if (surface === 'memory') return 'needs files or processes';
  const fakes = given.faults ?? given.resources ?? given.projection ?? given.clock ?? given.no_lease_store ?? given.pre_0_9_roles;
  const watched = ['fault', 'interleave', 'advance', 'forget'];
  if (fakes !== undefined || steps.some(step => watched.includes(step.kind)))
    return 'needs adapters that fail, a set clock or a coordinator';
  if (steps.some(step => ['crash', 'stall'].includes(step.kind))) return 'kills its writer at a chosen point';
  return surface === 'exec' ? 'needs what only the library takes' : 'exists on the command line only';
};
