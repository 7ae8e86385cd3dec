import { expect, test } from 'vitest';
import { composeRegistry, loadCoreRegistry, parseExtension } from '#registry';
import { defaultPolicy, PolicyError, parsePolicy, policyRequiresLease } from './index.ts';

const core = loadCoreRegistry();

function problems(json: string): PolicyError['issues'] {
  try {
    parsePolicy(json, 'policy.json', core);
  } catch (error) {
    if (error instanceof PolicyError) return error.issues;
    throw error;
  }
  return [];
}

test('an empty policy adds nothing', () => {
  expect(parsePolicy('{}', 'policy.json')).toEqual(defaultPolicy);
});

test('a policy is read as it is written', () => {
  const file = {
    floors: [{ types: ['skill'], kinds: ['agent'], capabilities: ['govern:behaviour'] }],
    step_up: [{ types: ['ssss:role'], assurance: 'strong' }],
    confirm: [{ actions: ['delete'], paths: ['rules/**'] }],
    lease_required: ['pages/**'],
  };
  expect(parsePolicy(JSON.stringify(file), 'policy.json', core)).toEqual(file);
});

test.each<[string, string, RegExp]>([
  ['{"floor": []}', 'floor', /not a known key here; allowed: floors, step_up, confirm, lease_required/],
  ['[]', 'policy', /must be a map, is a list/],
  ['{"floors": [{"types": ["skill"]}]}', 'floors[0]', /lacks the key 'capabilities'/],
  ['{"floors": [{"capabilities": []}]}', 'floors[0].capabilities', /at least one capability/],
  ['{"floors": [{"capabilities": ["govern"]}]}', 'floors[0].capabilities[0]', /scope:action/],
  ['{"floors": [{"types": [], "capabilities": ["a:b"]}]}', 'floors[0].types', /would select nothing/],
  ['{"floors": [{"type": "skill", "capabilities": ["a:b"]}]}', 'floors[0].type', /not a known key/],
  ['{"floors": [{"types": ["skil"], "capabilities": ["a:b"]}]}', 'floors[0].types[0]', /'skil', which is no loaded type/],
  ['{"floors": [{"types": ["acme:*"], "capabilities": ["a:b"]}]}', 'floors[0].types[0]', /no loaded type/],
  ['{"step_up": [{"assurance": "high"}]}', 'step_up[0].assurance', /one of none, verified, strong; is 'high'/],
  ['{"confirm": [{"actions": ["update"]}]}', 'confirm[0].actions[0]', /one of create, replace/],
  ['{"confirm": [{"kinds": ["robot"]}]}', 'confirm[0].kinds[0]', /one of human, agent/],
  ['{"confirm": [{"paths": ["/rules/**"]}]}', 'confirm[0].paths[0]', /without a leading/],
  ['{"confirm": [{"paths": ["rules/"]}]}', 'confirm[0].paths[0]', /write 'rules\/\*\*'/],
  ['{"lease_required": "pages/**"}', 'lease_required', /must be a list/],
  ['{"lease_required": ["pages/"]}', 'lease_required[0]', /matches no file/],
  ['{"lease_required": ["../pages/**"]}', 'lease_required[0]', /matches no path/],
  ['{"lease_required": ["a//b.md"]}', 'lease_required[0]', /matches no path/],
  ['{"lease_required": ["./a.md"]}', 'lease_required[0]', /matches no path/],
  ['{"lease_required": ["a\\\\b.md"]}', 'lease_required[0]', /matches no path/],
  ['{"lease_required": [""]}', 'lease_required[0]', /must not be empty/],
  ['{"floors": [], "floors": []}', 'policy', /stands twice/],
])('%s is refused, naming the key', (json, field, message) => {
  const issues = problems(json);
  expect(issues).toEqual([expect.objectContaining({ field, issue: expect.stringMatching(message), line: 1 })]);
});

test('every problem stands in the message with file, line and column', () => {
  expect(() => parsePolicy('{\n  "confirm": [{ "kinds": ["robot"] }],\n  "floor": []\n}', '.ssss/policy.json')).toThrow(
    /\.ssss\/policy\.json:2:27: .*\n.*\.ssss\/policy\.json:3:3: /,
  );
});

test('events and index pages can be selected although they are no types', () => {
  expect(problems('{"confirm": [{"types": ["ssss:event", "ssss:index", "ssss:*"]}]}')).toEqual([]);
});

test('a lease is required where a glob of the policy matches the path', () => {
  const policy = parsePolicy('{"lease_required": ["pages/**", "tasks/*/plan.md"]}', 'policy.json');
  for (const path of ['pages/a.md', 'pages/a/b.md', 'tasks/x/plan.md']) expect(policyRequiresLease(policy, path)).toBe(true);
  for (const path of ['page/a.md', 'tasks/plan.md', 'tasks/x/y/plan.md', 'Pages/a.md'])
    expect(policyRequiresLease(policy, path)).toBe(false);
  expect(policyRequiresLease(defaultPolicy, 'pages/a.md')).toBe(false);
});

test('a rule written with an alias of an extension is about the type it stands for', () => {
  const file = {
    registry: 'acme',
    version: '1.0.0',
    aliases: { reservation: 'booking' },
    primitives: { booking: { portability: 'structural' } },
  };
  const registry = composeRegistry({ extensions: [parseExtension(JSON.stringify(file), 'acme.json')] });
  const rules = {
    floors: [{ types: ['reservation', 'booking'], capabilities: ['govern:booking'] }],
    confirm: [{ types: ['acme:reservation'] }],
  };
  expect(parsePolicy(JSON.stringify(rules), 'policy.json', registry)).toMatchObject({
    floors: [{ types: ['acme:booking', 'booking'] }],
    confirm: [{ types: ['acme:booking'] }],
  });
});
