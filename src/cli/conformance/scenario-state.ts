import { type CanonicalEvent, readFrontmatter } from '#api';
import { outcomeOf, responseProblems } from './check-response.ts';
import { type Json, type JsonMap, show } from './json.ts';
import { differences } from './match-json.ts';
import { baseline } from './parse-step.ts';
import { type RunValues, resolveValues } from './resolve-values.ts';
import type { Expectation } from './scenario.ts';
import type { Controls, Disk, Request, VaultUnderTest } from './vault-under-test.ts';

/** What a running scenario knows: its vault, the answers so far, and what this surface could not show. */
export interface ScenarioState {
  readonly vault: VaultUnderTest;
  readonly values: RunValues;
  readonly outcomes: string[];
  readonly unobserved: string[];
  controls(): Controls;
  disk(): Disk;
  name(name: string, value: Json): void;
  withKey(envelope: JsonMap): JsonMap;
  request(envelope: JsonMap): Request;
  fileProblems(files: Readonly<Record<string, string | null>>): Promise<readonly string[]>;
  /** Everything that can be wrong with an answer and the vault after it. */
  answerProblems(response: JsonMap, expect: Expectation): Promise<readonly string[]>;
}

export const createScenarioState = (vault: VaultUnderTest): ScenarioState => {
  const named = new Map<string, Json>();
  let keys = 0;
  const values: RunValues = {
    named,
    hash: async path => {
      const hash = (await vault.tree()).get(path);
      if (hash === undefined) throw new Error(`nothing is stored at '${path}'`);
      return hash;
    },
  };
  const withKey = (envelope: JsonMap): JsonMap => {
    keys += 1;
    return { idempotency_key: `step${keys}`, ...envelope };
  };
  const fileProblems = async (files: Readonly<Record<string, string | null>>): Promise<readonly string[]> => {
    const problems = await Promise.all(
      Object.entries(files).map(async ([path, text]) =>
        text === null ? absenceProblems(path, await vault.text(path)) : differences(text, await vault.text(path), path),
      ),
    );
    return problems.flat();
  };
  return {
    vault,
    values,
    outcomes: [],
    unobserved: [],
    controls: () => present(vault.controls, 'adapters that can be watched'),
    disk: () => present(vault.disk, 'a directory'),
    name: (name, value) => void named.set(name, value),
    withKey,
    request: envelope => ({ envelope: withKey(envelope), principal: baseline, context: {} }),
    fileProblems,
    answerProblems: async (response, expect) => [
      ...responseProblems(response, expect, name => responseNamed(named, name)),
      ...(await fileProblems(expect.files ?? {})),
      ...(await documentProblems(vault, expect)),
    ],
  };
};

const present = <T>(part: T | undefined, what: string): T => {
  if (part === undefined) throw new Error(`this surface has no ${what}: the scenario names a surface it cannot run on`);
  return part;
};

const responseNamed = (named: ReadonlyMap<string, Json>, name: string): JsonMap => {
  const found = named.get(name) as JsonMap | undefined;
  if (found === undefined) throw new Error(`no earlier step is named '${name}'`);
  return found.response as JsonMap;
};

const absenceProblems = (path: string, text: string | null): readonly string[] =>
  text === null ? [] : [`${path} must be absent, holds ${show(text)}`];

const documentProblems = async (vault: VaultUnderTest, { body, data, lacks }: Expectation): Promise<readonly string[]> => {
  const paths = new Set([...Object.keys(body ?? {}), ...Object.keys(data ?? {}), ...Object.keys(lacks ?? {})]);
  const problems = await Promise.all(
    [...paths].map(async path => {
      const text = await vault.text(path);
      const document = text === null ? null : readFrontmatter(text);
      if (document === null) return [`${path} is no document: ${show(text)}`];
      const stored = document.data as JsonMap;
      return [
        ...(body?.[path] === undefined ? [] : differences(body[path], document.body, `${path} body`)),
        ...Object.entries(data?.[path] ?? {}).flatMap(([key, value]) => differences({ $exactly: value }, stored[key], `${path} ${key}`)),
        ...(lacks?.[path] ?? []).filter(key => Object.hasOwn(stored, key)).map(key => `${path} must not have ${key}`),
      ];
    }),
  );
  return problems.flat();
};

/** The rule behind every scenario: a commit appends exactly one event, anything else changes neither tree nor log (§6.3, §8.1). */
export const traceOfStep = async (
  vault: VaultUnderTest,
  before: ReadonlyMap<string, string>,
  response: JsonMap,
  expect: Expectation,
): Promise<{ readonly event: CanonicalEvent | null; readonly problems: readonly string[] }> => {
  const events = await vault.newEvents();
  if (outcomeOf(response) === 'commit') {
    const [event = null] = events;
    if (expect.changes === 'any') return { event: null, problems: [] };
    if (events.length !== 1) return { event, problems: [`a commit appends one event, here ${events.length}`] };
    return { event, problems: differences(response.event_id, event?.event_id, 'event_id of answer and log') };
  }
  if (expect.changes === 'any') return { event: null, problems: [] };
  const after = await vault.tree();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(path => before.get(path) !== after.get(path));
  const left = changed.map(path => `'${path}' changed although nothing was committed`);
  return {
    event: null,
    problems: [...left, ...(events.length === 0 ? [] : [`${events.length} events were appended although nothing was committed`])],
  };
};

/** Compares the appended event with what a step expects of it, and its hashes with the stored bytes. */
export const eventProblems = async (
  event: CanonicalEvent | null,
  expect: Expectation,
  values: RunValues,
  tree: ReadonlyMap<string, string>,
): Promise<readonly string[]> => {
  if (event === null) return expect.event === undefined ? [] : ['no event was appended'];
  const plain = JSON.parse(JSON.stringify(event)) as JsonMap;
  const stored = event.action === 'event' || event.action === 'delete' ? null : (tree.get(event.subject) ?? null);
  return [
    ...differences(stored, event.after_hash, 'event.after_hash against the stored bytes'),
    ...(expect.event === undefined ? [] : differences(await resolveValues(expect.event, values), plain, 'event')),
    ...(expect.event_shape === true ? differences([...eventFields].sort(), Object.keys(plain).sort(), 'fields of the event') : []),
  ];
};

// §8.2, the twenty fields and no more.
const eventFields = [
  'event_id',
  'event_type',
  'schema_version',
  'timestamp',
  'workspace_id',
  'primitive_id',
  'primitive_version',
  'action',
  'subject',
  'principal',
  'operation_id',
  'idempotency_key',
  'request_hash',
  'correlation_id',
  'causation_id',
  'before_hash',
  'after_hash',
  'changed_fields',
  'resource_status',
  'payload',
];
