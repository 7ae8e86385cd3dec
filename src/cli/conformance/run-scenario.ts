import { errorCodes, reasonOf } from '#errors';
import { outcomeOf } from './check-response.ts';
import { type Json, type JsonMap, show } from './json.ts';
import { differences } from './match-json.ts';
import { resolveValues } from './resolve-values.ts';
import { askProblems } from './run-ask.ts';
import { raceProblems, submitProblems } from './run-submit.ts';
import type { LeaseStep, Scenario, StateExpectation, Step } from './scenario.ts';
import { createScenarioState, type ScenarioState } from './scenario-state.ts';
import type { Surface, VaultUnderTest } from './vault-under-test.ts';

/** What one scenario came to on one surface. */
export interface ScenarioResult {
  readonly id: string;
  readonly surface: string;
  readonly problems: readonly string[];
  /** The outcome of each request, to compare surfaces with each other. */
  readonly outcomes: readonly string[];
  /** Expectations this surface has no means to observe, such as calls to an adapter of another process. */
  readonly unobserved: readonly string[];
}

/** Runs one scenario on one surface, to its first step that goes wrong. */
export const runScenario = async (scenario: Scenario, surface: Surface): Promise<ScenarioResult> => {
  const { id } = scenario;
  const result = (problems: readonly string[], state?: ScenarioState): ScenarioResult => ({
    id,
    surface: surface.name,
    problems,
    outcomes: state?.outcomes ?? [],
    unobserved: state?.unobserved ?? [],
  });
  const [first] = scenario.steps;
  if (first?.kind === 'open') return result(await refusalProblems(scenario, surface, first.message_contains));
  let vault: VaultUnderTest;
  try {
    vault = await surface.open(scenario);
  } catch (error) {
    return result([`the vault did not open: ${withStack(error)}`]);
  }
  const state = createScenarioState(vault);
  try {
    for (const [index, step] of scenario.steps.entries()) {
      const problems = await stepProblems(step, state);
      if (problems.length > 0)
        return result(
          problems.map(problem => `step ${index + 1} (${step.kind}): ${problem}`),
          state,
        );
    }
    return result([], state);
  } catch (error) {
    return result([`after ${state.outcomes.length} answers: ${withStack(error)}`], state);
  } finally {
    await vault.close();
  }
};

const withStack = (error: unknown): string => (error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error));

const refusalProblems = async (scenario: Scenario, surface: Surface, parts: readonly string[]): Promise<readonly string[]> => {
  try {
    await (await surface.open(scenario)).close();
    return ['the vault opened, but must be refused'];
  } catch (error) {
    const message = reasonOf(error);
    return parts.filter(part => !message.includes(part)).map(part => `the refusal does not name '${part}': ${message}`);
  }
};

const stepProblems = async (step: Step, state: ScenarioState): Promise<readonly string[]> => {
  const { vault } = state;
  switch (step.kind) {
    case 'submit':
      return submitProblems(step, state);
    case 'race':
      return raceProblems(step, state);
    case 'lease':
      return leaseProblems(step, state);
    case 'ask':
      return askProblems(step, state);
    case 'fault':
      return done(() => state.controls().arm(step.fault));
    case 'interleave':
      return done(() => state.controls().interleave(step.after, state.withKey(step.envelope)));
    case 'advance':
      return done(() => state.controls().advance(step.seconds));
    case 'forget':
      return done(() => state.controls().forgetIdempotency());
    case 'outside':
      return done(() => vault.outside(step.path, step.text));
    case 'tear_log':
      return done(() => state.disk().tearLog(step.text));
    case 'remove_dir':
      return done(() => state.disk().removeDirectory(step.path));
    case 'remember':
      return remember(step.values, state);
    case 'open':
      return ['"open" must be the first step'];
    default:
      return observationProblems(step, state);
  }
};

const done = async (work: () => unknown): Promise<readonly string[]> => {
  await work();
  return [];
};

const remember = async (values: JsonMap, state: ScenarioState): Promise<readonly string[]> => {
  const resolved = (await resolveValues(values, state.values)) as JsonMap;
  for (const [name, value] of Object.entries(resolved)) state.name(name, value);
  return [];
};

const leaseProblems = async (step: LeaseStep, state: ScenarioState): Promise<readonly string[]> => {
  const request = (await resolveValues(step.lease, state.values)) as JsonMap;
  const answer = await state.vault.lease(request, step.principal);
  const outcome = 'lease' in answer ? 'granted' : 'released' in answer ? 'released' : answer.code;
  state.outcomes.push(outcome);
  if (step.as !== undefined && 'lease' in answer) state.name(step.as, answer.lease);
  const { expect } = step;
  const refused = expect.outcome === 'refused' && Object.hasOwn(errorCodes, outcome);
  if (outcome !== expect.outcome && !refused) return [`expected ${expect.outcome}, got ${outcome}`];
  return expect.lease === undefined || !('lease' in answer) ? [] : differences(expect.lease, answer.lease, 'lease');
};

type Observation = Extract<Step, { kind: 'crash' | 'stall' | 'recover' | 'cli' | 'check' | 'trace' | 'registry' | 'log' }>;

const observationProblems = async (step: Observation, state: ScenarioState): Promise<readonly string[]> => {
  switch (step.kind) {
    case 'crash':
      return done(() => state.disk().crash(step.at, state.request(step.envelope)));
    case 'stall':
      return stallProblems(step, state);
    case 'recover':
      return [...(await recoveryProblems(step.reports, state)), ...(await stateProblems(step, state))];
    case 'cli':
      await state.disk().cli(step.args);
      return stateProblems(step, state);
    case 'check':
      return checkProblems(step.invalid, state);
    case 'trace':
      return traceProblems(step, state);
    case 'registry':
      return registryProblems(step, state);
    case 'log':
      return logProblems(step, state);
  }
};

const stallProblems = async (step: Extract<Step, { kind: 'stall' }>, state: ScenarioState): Promise<readonly string[]> => {
  let seen: readonly string[] = [];
  const response = await state.disk().stall(step.at, state.request(step.envelope), async () => {
    seen = await recoveryProblems(step.meanwhile.recover, state);
  });
  state.outcomes.push(outcomeOf(response));
  return [...seen, ...(await state.answerProblems(response, step.expect))];
};

const recoveryProblems = async (reports: readonly JsonMap[], { vault }: ScenarioState): Promise<readonly string[]> => {
  const { outcomes, in_flight } = await (await vault.library()).recover();
  const told: readonly unknown[] = [...outcomes, ...in_flight];
  const missing = reports.filter(report => !told.some(each => differences(report, each).length === 0));
  return missing.map(report => `recovery does not tell of ${show(report)}, only of ${show(told)}`);
};

const stateProblems = async (expect: StateExpectation, state: ScenarioState): Promise<readonly string[]> => [
  ...(await state.fileProblems(expect.files ?? {})),
  ...(expect.events === undefined ? [] : differences(expect.events, (await state.vault.allEvents()).length, 'events')),
];

const checkProblems = async (invalid: readonly string[], { vault }: ScenarioState): Promise<readonly string[]> => {
  const { problems } = await (await vault.library()).check();
  return differences([...invalid], [...new Set(problems.map(problem => problem.path))], 'invalid documents');
};

const traceProblems = async (step: Extract<Step, { kind: 'trace' }>, { vault }: ScenarioState): Promise<readonly string[]> => {
  const told = JSON.stringify(await (await vault.library()).trace(step.of));
  return step.subjects.filter(subject => !told.includes(JSON.stringify(subject))).map(subject => `the trace lacks '${subject}': ${told}`);
};

const registryProblems = async (step: Extract<Step, { kind: 'registry' }>, { vault }: ScenarioState): Promise<readonly string[]> => {
  const { documentTypes } = (await vault.library()).registry;
  const types = Object.fromEntries(documentTypes.map(({ type, portability }) => [type, portability as Json]));
  const growing = documentTypes.filter(definition => definition.append_only).map(({ type }) => type);
  return [
    ...differences({ $exactly: step.types }, types, 'types'),
    ...differences([...step.append_only].sort(), growing.sort(), 'append_only'),
  ];
};

const logProblems = async (step: Extract<Step, { kind: 'log' }>, { vault }: ScenarioState): Promise<readonly string[]> => {
  const events = await vault.allEvents();
  const ids = new Set(events.map(event => event.event_id));
  return [
    ...differences(step.count, events.length, 'events'),
    ...(step.subjects === undefined
      ? []
      : differences(
          [...step.subjects],
          events.map(event => event.subject),
          'subjects',
        )),
    ...(step.actions === undefined
      ? []
      : differences(
          [...step.actions],
          events.map(event => event.action),
          'actions',
        )),
    ...(step.unique_ids && ids.size !== events.length ? ['an event id stands twice'] : []),
  ];
};
