import type { Vault } from '#api';
import { openMemoryVault } from '#open-vault';
import { outcomeOf } from './check-response.ts';
import { asText, isMap, type Json, type JsonMap, show } from './json.ts';
import { execute } from './library-vault.ts';
import { statusOf } from './status-of.ts';

/** What a public fixture set (§12) came to. */
export interface FixtureReport {
  readonly passed: number;
  readonly failures: readonly { readonly name: string; readonly problems: readonly string[] }[];
}

const fixtureMembers = ['id', 'name', 'title', 'description', 'setup', 'principal', 'request', 'expected_response', 'expected_http_status'];

/**
 * Runs a fixture document in its order, each workspace in a vault of its own, and compares status, success, code, validity and the bare type; never
 * error texts. Throws when the document has not the shape of §12: a set nobody understood must not pass.
 */
export const runFixtures = async (text: string, options: { readonly pre09Roles: boolean }): Promise<FixtureReport> => {
  const fixtures = parseFixtures(text);
  const vaults = new Map<string, Promise<Vault>>();
  const vaultOf = (request: Json): Promise<Vault> => {
    const named = isMap(request) ? request.workspace_id : null;
    // Whatever names no workspace is refused anyway, so any vault will do.
    const workspaceId = typeof named === 'string' && named !== '' ? named : 'ws-a';
    const vault = vaults.get(workspaceId) ?? openMemoryVault({ workspaceId, pre09Roles: options.pre09Roles });
    vaults.set(workspaceId, vault);
    return vault;
  };
  const failures: { name: string; problems: readonly string[] }[] = [];
  for (const [index, fixture] of fixtures.entries()) {
    const principal = fixture.principal ?? null;
    for (const request of asList(fixture.setup)) await execute(await vaultOf(request), { envelope: request, principal, context: {} });
    const request = fixture.request ?? null;
    const response = await execute(await vaultOf(request), { envelope: request, principal, context: {} });
    const problems = fixtureProblems(fixture, response);
    if (problems.length > 0) failures.push({ name: nameOf(fixture, index), problems });
  }
  for (const vault of vaults.values()) await (await vault).close();
  return { passed: fixtures.length - failures.length, failures };
};

const parseFixtures = (text: string): readonly JsonMap[] => {
  const document = JSON.parse(text) as Json;
  const fixtures = isMap(document) ? document.fixtures : null;
  if (!Array.isArray(fixtures) || fixtures.length === 0) throw new Error('the fixture document needs a non-empty list "fixtures" (§12)');
  return fixtures.map((fixture: Json, index) => {
    if (!isMap(fixture) || fixture.request === undefined || !isMap(fixture.expected_response ?? null)) {
      throw new Error(`fixtures[${index}] needs "request" and "expected_response"`);
    }
    const unknown = Object.keys(fixture).filter(key => !fixtureMembers.includes(key));
    if (unknown.length > 0) throw new Error(`${nameOf(fixture, index)}: this build does not understand ${unknown.join(', ')}`);
    return fixture;
  });
};

const asList = (value: Json | undefined): readonly Json[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

const nameOf = (fixture: JsonMap, index: number): string => asText(fixture.id ?? fixture.name ?? fixture.title ?? `fixture ${index + 1}`);

const fixtureProblems = (fixture: JsonMap, response: JsonMap): readonly string[] => {
  const expected = fixture.expected_response as JsonMap;
  const status = fixture.expected_http_status;
  const pairs: readonly (readonly [string, Json | undefined, Json | undefined])[] = [
    ['status', status, statusOf(outcomeOf(response))],
    ['success', expected.success, response.success],
    ['error.code', member(expected, 'error', 'code'), member(response, 'error', 'code')],
    ['validation.valid', member(expected, 'validation', 'valid'), member(response, 'validation', 'valid')],
    ['validation.type', bare(member(expected, 'validation', 'type')), bare(member(response, 'validation', 'type'))],
  ];
  return pairs
    .filter(([, want, got]) => want !== undefined && want !== got)
    .map(([what, want, got]) => `${what}: expected ${show(want)}, got ${show(got)}`);
};

const member = (map: JsonMap, outer: string, inner: string): Json | undefined => {
  const part = map[outer];
  return isMap(part) ? part[inner] : undefined;
};

// The set may spell core types without their namespace.
const bare = (type: Json | undefined): Json | undefined => (typeof type === 'string' ? type.replace(/^ssss:/, '') : type);
