import { describe, expect, test } from 'vitest';
import type { CanonicalEvent, Principal, PrincipalKind } from '#adapter-contracts';
import { sampleAdoption, sampleEvent, sampleHash } from '#adapter-contracts/testing';
import { assistantPath, assistantSlug, roleName, skillPaths } from './named-documents.ts';
import { outsideReason, taskOutside } from './outside-reason.ts';
import { taintedRefusal } from './tainted-refusal.ts';

const by = (kind: PrincipalKind, event: CanonicalEvent = sampleEvent()): CanonicalEvent => {
  const principal: Principal = { ...event.principal, id: `${kind}:x`, kind };
  return { ...event, action: 'create', after_hash: sampleHash('a'), principal };
};

describe('where a text is from', () => {
  test.each([
    ['a person', by('human'), null],
    ['an agent', by('agent'), 'agent:x wrote it'],
    ['a service', by('service'), 'service:x wrote it'],
    ['an import by the system', by('system'), 'system:x wrote it'],
    ['nobody that the log knows', null, 'the log does not say who wrote it'],
  ])('the last writer is %s', (_, last, reason) => {
    expect(outsideReason({ last, hash: sampleHash('a') })).toBe(reason);
  });

  test('bytes that the log does not hold have no author', () => {
    expect(outsideReason({ last: by('human'), hash: sampleHash('other') })).toBe('it was changed outside the log');
  });

  test('who adopts a hand edit has written it', () => {
    const adoption = sampleAdoption('memory/a.md', sampleHash('c'));
    const hash = sampleHash('c');
    const adopted = { ...adoption, principal: { ...adoption.principal, kind: 'human' as const } };
    expect(outsideReason({ last: adopted, hash })).toBeNull();
  });

  test.each([
    ['cron', null, null],
    ['interval', null, null],
    ['condition', { id: 'agent:x', kind: 'agent' }, null],
    ['webhook', { id: 'local:mei', kind: 'human' }, 'a webhook caused it'],
    ['event', { id: 'agent:x', kind: 'agent' }, 'agent:x wrote it'],
    ['event', { id: 'local:mei', kind: 'human' }, null],
    ['manual', null, 'the log does not say who caused it'],
    [null, { id: 'agent:x', kind: 'agent' }, 'agent:x wrote it'],
  ] as const)('a task of the trigger %s', (trigger, cause, reason) => {
    expect(taskOutside({ trigger, cause })).toBe(reason);
  });
});

describe('what a run that read text from outside may still write', () => {
  const refusal = (
    path: string,
    types: readonly string[],
    named = ['memory/**', 'pages/**'],
    type: 'operation' | 'patch' | 'event' | 'delete' = 'operation',
  ) => taintedRefusal({ type, path, types }, named);

  test.each(['workflow', 'trigger', 'skill', 'assistant', 'rule', 'role', 'security_role', 'model', 'page'])(
    'no %s, named or not',
    type => {
      expect(refusal('memory/x.md', [`ssss:${type}`])).toContain('tells others what to do');
      // What it is counts as much as what it would become.
      expect(refusal('memory/x.md', [`ssss:${type}`, 'ssss:memory'])).toContain('tells others what to do');
      expect(refusal('memory/x.md', ['ssss:memory', `ssss:${type}`])).toContain('tells others what to do');
    },
  );

  test('what a person named, and nothing else', () => {
    expect(refusal('memory/deep/x.md', ['ssss:memory'])).toBeNull();
    expect(refusal('tasks/x.md', ['ssss:task'])).toContain('no person named');
    expect(refusal('memory/x.md', ['ssss:memory'], [])).toContain('no person named');
    expect(refusal('memory/x.md', ['ssss:memory'], ['memory/**'], 'delete')).toContain('deletion');
    expect(refusal('orders/1', [], ['orders/*'], 'event')).toBeNull();
    expect(refusal('orders/1', [], [], 'event')).toContain('no person named');
  });
});

test('documents are named by path or by slug', () => {
  expect(assistantPath({ data: { x_assistant: 'digest' } }, null)).toBe('assistants/digest/ASSISTANT.md');
  expect(assistantPath({ data: {} }, { data: { x_assistant: '/assistants/a/ASSISTANT.md' } })).toBe('assistants/a/ASSISTANT.md');
  expect(assistantPath({ data: { x_assistant: 'own' } }, { data: { x_assistant: 'other' } })).toBe('assistants/own/ASSISTANT.md');
  expect(assistantPath({ data: { x_assistant: 7 } }, null)).toBeNull();
  expect(assistantSlug('assistants/digest/ASSISTANT.md')).toBe('digest');
  expect(assistantSlug('people/helper.md')).toBe('people.helper');
  expect(skillPaths({ data: { x_skills: ['deploy', 'skills/b/SKILL.md', 'deploy', 7] } })).toEqual([
    'skills/deploy/SKILL.md',
    'skills/b/SKILL.md',
  ]);
  expect(skillPaths({ data: { x_skills: 'deploy' } })).toEqual(['skills/deploy/SKILL.md']);
  expect(skillPaths({ data: {} })).toEqual([]);
  expect(roleName({ data: { x_role: 'roles/digester/ROLE.md' } })).toBe('digester');
  expect(roleName({ data: { x_role: 'digester' } })).toBe('digester');
  expect(roleName({ data: {} })).toBeNull();
});
