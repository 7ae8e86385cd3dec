import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '#errors';
import { type Case, expandCase } from './expand-cases.ts';
import { asText, isMap, type Json, type JsonMap, refuseUnknown, show } from './json.ts';
import { parseStep } from './parse-step.ts';
import { type Given, type Scenario, surfaceNames } from './scenario.ts';
import type { MinimalDocuments } from './scenario-document.ts';

/** A scenario file: one section of the standard. */
interface ScenarioFile {
  readonly file: string;
  readonly heading: string;
  readonly scenarios: readonly Scenario[];
}

/** A requirement and, when no scenario can show it, what checks it instead: `requirements.json`. */
interface Requirement {
  readonly id: string;
  readonly says: string;
  readonly checked_by?: string;
}

export interface ScenarioSet {
  readonly files: readonly ScenarioFile[];
  readonly requirements: readonly Requirement[];
}

const supportFiles = ['minimal-documents.json', 'requirements.json'];

/** Reads every scenario file of a directory. Throws with file and id for anything unknown, doubled or incomplete: a typo must not skip a check. */
export const loadScenarios = (directory: string): ScenarioSet => {
  const read = (file: string): Json => JSON.parse(readFileSync(join(directory, file), 'utf8')) as Json;
  const minimal = read('minimal-documents.json') as unknown as MinimalDocuments;
  const requirements = read('requirements.json') as unknown as readonly Requirement[];
  const names = readdirSync(directory)
    .filter(name => name.endsWith('.json') && !supportFiles.includes(name))
    .sort();
  const files = names.map(file => parseFile(file, read(file), minimal));
  refuseDoubles(files.flatMap(file => file.scenarios.map(scenario => scenario.id)));
  refuseUnknownRequirements(files, new Set(requirements.map(requirement => requirement.id)));
  return { files, requirements };
};

const parseFile = (file: string, content: Json, minimal: MinimalDocuments): ScenarioFile => {
  if (!isMap(content) || typeof content.heading !== 'string' || !Array.isArray(content.scenarios)) {
    throw new Error(`${file}: needs "heading" and "scenarios"`);
  }
  const scenarios = content.scenarios.flatMap((raw: Json) => {
    const id = isMap(raw) ? asText(raw.id) : '?';
    try {
      return parseScenario(raw, minimal);
    } catch (error) {
      throw new Error(`${file}, ${id}: ${reasonOf(error)}`, { cause: error });
    }
  });
  return { file, heading: content.heading, scenarios };
};

const members = ['id', 'title', 'covers', 'surfaces', 'given', 'cases', 'steps'];
const givenMembers: readonly (keyof Given)[] = [
  'documents',
  'files',
  'links',
  'registry',
  'registry_drift',
  'symlink_registry',
  'policy',
  'workspace',
  'workspaces',
  'clock',
  'faults',
  'resources',
  'projection',
  'no_lease_store',
  'pre_0_9_roles',
];

const parseScenario = (raw: Json, minimal: MinimalDocuments): readonly Scenario[] => {
  if (!isMap(raw)) throw new Error('is no object');
  refuseUnknown(raw, members);
  const cases = (raw.cases ?? [{ name: '' }]) as unknown as readonly Case[];
  refuseDoubles(cases.map(each => each.name));
  return cases.map(each => oneScenario(expandCase(withoutCases(raw), each, minimal) as JsonMap, each.name));
};

const withoutCases = (raw: JsonMap): JsonMap => Object.fromEntries(Object.entries(raw).filter(([key]) => key !== 'cases'));

const oneScenario = (raw: JsonMap, name: string): Scenario => {
  const { id, title, covers, surfaces, steps } = raw;
  if (typeof id !== 'string' || typeof title !== 'string') throw new Error('needs an id and a title');
  if (!Array.isArray(covers) || covers.length === 0) throw new Error('needs the requirements it covers');
  if (!Array.isArray(surfaces) || surfaces.some(surface => !surfaceNames.includes(surface))) throw new Error(`surfaces: ${show(surfaces)}`);
  if (!Array.isArray(steps) || steps.length === 0) throw new Error('needs steps');
  return { id: name === '' ? id : `${id}/${name}`, title, covers, surfaces, given: parseGiven(raw.given), steps: steps.map(parseStep) };
};

const parseGiven = (raw: Json | undefined): Given => {
  if (raw === undefined) return {};
  if (!isMap(raw)) throw new Error('given is no object');
  refuseUnknown(raw, givenMembers);
  const files = Object.entries((raw.files ?? {}) as JsonMap).map(([path, content]) => [path, bytesOrText(content)]);
  return { ...(raw as Given), ...(files.length === 0 ? {} : { files: Object.fromEntries(files) as Given['files'] & object }) };
};

const bytesOrText = (content: Json): string | Uint8Array => {
  if (isMap(content) && typeof content.$base64 === 'string') return Buffer.from(content.$base64, 'base64');
  if (typeof content === 'string') return content;
  throw new Error(`a file is ${show(content)}, not text`);
};

const refuseDoubles = (ids: readonly string[]): void => {
  const double = ids.find((id, index) => ids.indexOf(id) !== index);
  if (double !== undefined) throw new Error(`'${double}' stands twice`);
};

const refuseUnknownRequirements = (files: readonly ScenarioFile[], known: ReadonlySet<string>): void => {
  for (const scenario of files.flatMap(file => file.scenarios)) {
    const unknown = scenario.covers.filter(id => !known.has(id));
    if (unknown.length > 0) throw new Error(`${scenario.id} covers ${unknown.join(', ')}, which requirements.json does not list`);
  }
};
