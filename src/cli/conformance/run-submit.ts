import { outcomeOf } from './check-response.ts';
import { asText, isMap, type Json, type JsonMap, show } from './json.ts';
import { differences } from './match-json.ts';
import { baseline } from './parse-step.ts';
import { resolveValues } from './resolve-values.ts';
import type { Context, Expectation, RaceStep, SubmitStep } from './scenario.ts';
import { eventProblems, type ScenarioState, traceOfStep } from './scenario-state.ts';
import type { RaceWorker, Request } from './vault-under-test.ts';

/** Sends one request and compares answer, documents, event and calls with what the step expects. */
export const submitProblems = async (step: SubmitStep, state: ScenarioState): Promise<readonly string[]> => {
  const { vault } = state;
  const request = await requestOf(step, state);
  const before = await vault.tree();
  const textBefore = step.expect.replaced_line === undefined ? null : await vault.text(step.expect.replaced_line.path);
  vault.controls?.calls();
  vault.controls?.resources();
  const response = await vault.submit(request);
  const seen = watchedProblems(step.expect, state);
  state.outcomes.push(outcomeOf(response));
  const { event, problems } = await traceOfStep(vault, before, response, step.expect);
  if (step.as !== undefined) state.name(step.as, { response, event: event as unknown as Json });
  return [
    ...(await state.answerProblems(response, step.expect)),
    ...problems,
    ...seen,
    ...(await eventProblems(event, step.expect, state.values, await vault.tree())),
    ...(textBefore === null ? [] : await lineProblems(textBefore, step.expect, state)),
  ];
};

const requestOf = async (step: SubmitStep, state: ScenarioState): Promise<Request> => {
  const context = (await resolveValues(step.context as JsonMap, state.values)) as Context;
  if (step.line !== undefined) return { line: step.line, principal: step.principal, context };
  const envelope = await resolveValues(step.envelope ?? null, state.values);
  const keyed = isMap(envelope) && step.defaults ? state.withKey(envelope) : envelope;
  return { envelope: keyed, principal: step.principal, context };
};

const watchedProblems = (expect: Expectation, state: ScenarioState): readonly string[] => {
  const { controls } = state.vault;
  if (controls === undefined) {
    if (expect.calls !== undefined) state.unobserved.push('calls of adapters');
    return expect.resources === undefined ? [] : ['resources can only be watched through the library'];
  }
  const calls = controls.calls();
  const counted = Object.entries(expect.calls ?? {}).flatMap(([adapter, count]) =>
    differences(count, calls[adapter] ?? 0, `calls of ${adapter}`),
  );
  return [
    ...counted,
    ...(expect.resources === undefined ? [] : differences([...expect.resources], controls.resources(), 'calls of the coordinator')),
  ];
};

const lineProblems = async (
  before: string,
  { replaced_line: change }: Expectation,
  { vault }: ScenarioState,
): Promise<readonly string[]> => {
  if (change === undefined) return [];
  const expected = before.split('\n').map(line => (line === change.from ? change.to : line));
  return differences(expected, (await vault.text(change.path))?.split('\n'), change.path);
};

/** Lets several writers go at once and counts what they got. */
export const raceProblems = async (step: RaceStep, state: ScenarioState): Promise<readonly string[]> => {
  const workers = Array.from({ length: step.processes }, (_, n) => workerOf(step, n, state));
  const answers = (await state.vault.race(workers)).flat();
  const outcomes = answers.map(answer =>
    step.lease === undefined ? outcomeOf(answer) : 'lease' in answer ? 'granted' : asText(answer.code),
  );
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  state.outcomes.push(...Object.keys(counts).sort());
  const events = await state.vault.newEvents();
  const eventIds = new Set(answers.map(answer => answer.event_id).filter(id => id !== undefined));
  return [
    ...differences({ $exactly: step.outcomes }, counts, 'outcomes'),
    ...(step.events === undefined ? [] : differences(step.events, events.length, 'events')),
    ...(step.same_event && eventIds.size !== 1 ? [`expected one event_id, got ${show([...eventIds])}`] : []),
    ...(await state.fileProblems(step.files ?? {})),
    ...(await fieldProblems(step, state)),
  ];
};

const workerOf = (step: RaceStep, n: number, state: ScenarioState): RaceWorker => {
  const fill = (value: JsonMap, i: number, attempt: number): JsonMap =>
    JSON.parse(
      JSON.stringify(value).replaceAll('{{n}}', String(n)).replaceAll('{{i}}', String(i)).replaceAll('{{try}}', String(attempt)),
    ) as JsonMap;
  const { lease, envelope = {} } = step;
  const requests = Array.from({ length: step.each }, (_, i) => (attempt: number): Request => {
    return { ...state.request(fill(envelope, i, attempt)), context: step.context };
  });
  const claim = lease === undefined ? {} : { lease: { request: { do: 'acquire', ...fill(lease, 0, 0) }, principal: baseline } };
  return { requests, retry: step.retry, ...claim };
};

const fieldProblems = async ({ field_count: fields }: RaceStep, { vault }: ScenarioState): Promise<readonly string[]> => {
  if (fields === undefined) return [];
  const lines = ((await vault.text(fields.path)) ?? '').split('\n').filter(line => line.startsWith(fields.prefix) && /: /.test(line));
  return differences(fields.count, lines.length, `fields ${fields.prefix}… in ${fields.path}`);
};
