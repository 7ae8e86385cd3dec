import { asText, isMap, type Json, type JsonMap, refuseUnknown, show } from './json.ts';
import { parseAsk } from './parse-ask.ts';
import type { Expectation, LeaseStep, RaceStep, Step, SubmitStep } from './scenario.ts';

/** The principal of scenarios that name none: a person who may do everything in `ws-a`. */
export const baseline: JsonMap = {
  id: 'u1',
  kind: 'human',
  workspaceIds: ['ws-a'],
  capabilities: ['*:*'],
  authentication: { provider: 't', assurance: 'verified' },
};
const system: JsonMap = { ...baseline, id: 'sys', kind: 'system' };

const parsers: Readonly<Record<string, { readonly with: readonly string[]; readonly parse: (raw: JsonMap) => Step }>> = {
  envelope: {
    with: ['principal', 'context', 'as', 'expect'],
    parse: raw => submit(raw, { defaults: true, envelope: withDefaults(raw.envelope as JsonMap) }),
  },
  raw: { with: ['principal', 'context', 'as', 'expect'], parse: raw => submit(raw, { defaults: false, envelope: raw.raw as Json }) },
  line: { with: ['principal', 'expect'], parse: raw => submit(raw, { defaults: false, line: asText(raw.line) }) },
  lease: { with: ['principal', 'as', 'expect'], parse: raw => lease(raw) },
  ask: { with: ['input', 'principal', 'as', 'expect'], parse: raw => parseAsk(raw, principalOf(raw.principal)) },
  race: { with: ['outcomes', 'events', 'same_event', 'files', 'field_count'], parse: raw => race(raw) },
  crash: {
    with: ['envelope'],
    parse: raw => ({ kind: 'crash', at: raw.crash, envelope: withDefaults(raw.envelope as JsonMap) }) as Step,
  },
  stall: {
    with: ['envelope', 'meanwhile', 'expect'],
    parse: raw => {
      const { stall, envelope, meanwhile } = raw;
      return {
        kind: 'stall',
        at: stall,
        envelope: withDefaults(envelope as JsonMap),
        meanwhile,
        expect: expectation(raw.expect),
      } as Step;
    },
  },
  recover: { with: ['files', 'events'], parse: raw => ({ ...raw, kind: 'recover', reports: raw.recover }) as unknown as Step },
  cli: { with: ['files', 'events'], parse: raw => ({ ...raw, kind: 'cli', args: raw.cli }) as unknown as Step },
  interleave: {
    with: [],
    parse: raw => {
      const { after, envelope } = raw.interleave as JsonMap;
      return { kind: 'interleave', after, envelope: withDefaults(envelope as JsonMap) } as unknown as Step;
    },
  },
  fault: { with: [], parse: raw => ({ kind: 'fault', fault: raw.fault }) as unknown as Step },
  outside: { with: [], parse: raw => ({ kind: 'outside', ...(raw.outside as JsonMap) }) as unknown as Step },
  remember: { with: [], parse: raw => ({ kind: 'remember', values: raw.remember }) as Step },
  advance: { with: [], parse: raw => ({ kind: 'advance', seconds: raw.advance }) as Step },
  forget: { with: [], parse: () => ({ kind: 'forget' }) },
  tear_log: { with: [], parse: raw => ({ kind: 'tear_log', text: raw.tear_log }) as Step },
  remove_dir: { with: [], parse: raw => ({ kind: 'remove_dir', path: raw.remove_dir }) as Step },
  open: { with: [], parse: raw => ({ kind: 'open', message_contains: (raw.open as JsonMap).message_contains ?? [] }) as Step },
  check: { with: [], parse: raw => ({ kind: 'check', ...(raw.check as JsonMap) }) as unknown as Step },
  trace: { with: [], parse: raw => ({ kind: 'trace', ...(raw.trace as JsonMap) }) as unknown as Step },
  registry: { with: [], parse: raw => ({ kind: 'registry', ...(raw.registry as JsonMap) }) as unknown as Step },
  log: { with: [], parse: raw => ({ kind: 'log', unique_ids: false, ...(raw.log as JsonMap) }) as unknown as Step },
};

/** One step of a scenario; the member it is named for decides its kind. */
export const parseStep = (raw: Json): Step => {
  if (!isMap(raw)) throw new Error(`step ${show(raw)} is no object`);
  // `crash` and `stall` also carry an envelope, so they are looked for first.
  const name = ['crash', 'stall', ...Object.keys(parsers)].find(key => Object.hasOwn(raw, key));
  const parser = name === undefined ? undefined : parsers[name];
  if (name === undefined || parser === undefined) throw new Error(`step ${show(raw)} is of no known kind`);
  refuseUnknown(raw, [name, ...parser.with]);
  return parser.parse(raw);
};

const submit = (raw: JsonMap, what: Pick<SubmitStep, 'envelope' | 'line' | 'defaults'>): SubmitStep => ({
  kind: 'submit',
  ...what,
  principal: principalOf(raw.principal),
  context: (raw.context ?? {}) as SubmitStep['context'],
  expect: expectation(raw.expect),
  ...(typeof raw.as === 'string' ? { as: raw.as } : {}),
});

const lease = (raw: JsonMap): LeaseStep => {
  const expect = isMap(raw.expect) ? raw.expect : {};
  const outcome = typeof raw.expect === 'string' ? raw.expect : 'granted';
  return {
    kind: 'lease',
    lease: raw.lease as JsonMap,
    principal: principalOf(raw.principal),
    expect: { outcome, ...(isMap(expect.lease) ? { lease: expect.lease } : {}) },
    ...(typeof raw.as === 'string' ? { as: raw.as } : {}),
  };
};

const race = (raw: JsonMap): RaceStep => {
  const { envelope, ...how } = raw.race as JsonMap;
  const race = { each: 1, retry: false, context: {}, ...how, ...(isMap(envelope) ? { envelope: withDefaults(envelope) } : {}) };
  return { same_event: false, ...raw, ...race, kind: 'race' } as unknown as RaceStep;
};

const expectationMembers = [
  'outcome outcome_in response absent fields any_field field_prefix line has_line warnings message_contains event event_shape files body data',
  'lacks replaced_line calls resources same_as same_but_warnings same_message_as same_failure_as changes',
].flatMap(line => line.split(' '));

const expectation = (raw: Json | undefined): Expectation => {
  if (typeof raw === 'string') return { outcome: raw };
  if (!isMap(raw)) throw new Error('a step needs "expect"');
  refuseUnknown(raw, expectationMembers);
  if (raw.outcome === undefined && raw.outcome_in === undefined) throw new Error('"expect" needs an outcome');
  return raw as Expectation;
};

const withDefaults = (envelope: JsonMap): JsonMap => ({ workspace_id: 'ws-a', ...envelope });

const principalOf = (raw: Json | undefined): Json => {
  if (raw === undefined || raw === 'P') return baseline;
  if (raw === 'system') return system;
  if (!isMap(raw) || raw.like === undefined) return raw;
  const { like, ...changes } = raw;
  return { ...(like === 'system' ? system : baseline), ...changes };
};
