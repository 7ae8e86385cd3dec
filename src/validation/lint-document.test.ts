import { expect, test } from 'vitest';
import { createDocument, parseDocument } from '#document';
import { loadCoreRegistry } from '#registry';
import { lintDocument } from './index.ts';

const registry = loadCoreRegistry();
const universal = { title: 'T', description: 'D', timestamp: '2026-05-16T14:00:00Z' };
const vault = new Set([
  'rules/a.md',
  'rules/b.md',
  'rules/deep/c.md',
  'assistants/bot/ASSISTANT.md',
  'memory/facts/übergabe.md',
  'rules/with space.md',
]);

function lint(path: string, data: Readonly<Record<string, unknown>>, body = '') {
  return lintDocument({
    path,
    parsed: parseDocument(createDocument({ ...universal, ...data }, body)),
    registry,
    exists: found => vault.has(found),
  });
}

const memory = { type: 'memory', slug: 'a-b', category: 'facts', status: 'active', schema_version: 1 };

test.each<[string, string, Readonly<Record<string, unknown>>]>([
  ['a memory in the directory of its category', 'memory/facts/a-b.md', memory],
  ['a slug in another script', 'memory/facts/定金政策.md', { ...memory, slug: '定金政策' }],
  ['a slug with combining marks', 'memory/facts/नमस्ते.md', { ...memory, slug: 'नमस्ते' }],
  ['an opaque id as slug', 'memory/facts/7f3a2b1c-5d6e.md', { ...memory, slug: '7f3a2b1c-5d6e' }],
  ['a skill in its directory', 'skills/deploy/SKILL.md', { type: 'skill', name: 'deploy' }],
  ['a role in its directory', 'roles/support/ROLE.md', { type: 'role', name: 'support', permissions: ['write:event'] }],
  ['a task without a slug', 'tasks/x/anything.md', { type: 'task', priority: 1, category: 'c', status: 'done' }],
  ['a conflict', 'conflicts/x.md', { type: 'conflict', conflict_id: 'conflict-2026-05-16-001' }],
  ['a definition at its path', 'primitives/acme/booking.md', { type: 'primitive', primitive_id: 'acme:booking', namespace: 'acme' }],
])('%s has nothing to mend', (_name, path, data) => {
  expect(lint(path, data)).toEqual([]);
});

test.each<[string, Readonly<Record<string, unknown>>, string, RegExp]>([
  ['memory/facts/other.md', memory, 'slug', /would be 'a-b\.md', not 'other\.md'/],
  ['memory/lore/a-b.md', memory, 'category', /the name of the directory: 'facts' stands in 'lore'/],
  ['memory/facts/A_b.md', { ...memory, slug: 'A_b' }, 'slug', /lowercase words joined by hyphens/],
  ['skills/other/SKILL.md', { type: 'skill', name: 'deploy' }, 'name', /name of the directory/],
  ['SKILL.md', { type: 'skill', name: 'deploy' }, 'name', /at the top of the vault/],
  ['skills/deploy/skill.md', { type: 'skill', name: 'deploy' }, 'path', /conventionally named 'SKILL\.md', not 'skill\.md'/],
  ['conflicts/x.md', { type: 'conflict', conflict_id: 'c1' }, 'conflict_id', /conflict-2026-05-16-001/],
  [
    'types/booking.md',
    { type: 'primitive', primitive_id: 'acme:booking', namespace: 'acme' },
    'path',
    /should live at 'primitives\/acme\/booking\.md'/,
  ],
  ['rules/a.md', { type: 'rule', name: 'n', timestamp: '2026-05-16T14:00:00+02:00' }, 'timestamp', /ends in Z/],
  ['rules/a.md', { type: 'rule', name: 'n', timestamp: '2026-05-16' }, 'timestamp', /ends in Z/],
  ['runs/RUN.md', { type: 'run', run_id: 'r', workflow_id: 'w', started_at: '2026-05-16T14:00:00' }, 'started_at', /ends in Z/],
  ['memory/facts/a-b.md', { ...memory, schema_version: 2, subject: 'the agent' }, 'subject', /language-neutral identifier/],
  [
    'workflows/w/WORKFLOW.md',
    { type: 'workflow', name: 'n', triggers: [{ type: 'cron' }] },
    'triggers',
    /Entry 1 of 'triggers' should have an 'id'/,
  ],
])('%s with %j deserves a hint', (path, data, field, message) => {
  expect(lint(path, data)).toEqual([expect.objectContaining({ field, issue: expect.stringMatching(message) })]);
});

const rule = { type: 'rule', name: 'n' };

test.each([
  '[A](/rules/b.md)',
  '[A](/rules/deep/c.md#part)',
  '[[rules/b]] and [[rules/b.md|label]]',
  '[[a-slug-without-a-path]]',
  '[here](#below)',
  '[image](logo.png) and `https://example.org`',
  '```\ncurl https://example.org\n```',
  '[mail](mailto:a@b.example)',
  '[A](/rules/with%20space.md)',
  '`[A](/nowhere.md)`',
  '```\n[A](/nowhere.md)\n```',
  '[U](/memory/facts/übergabe.md)',
])('the links of %j are fine', body => {
  expect(lint('rules/a.md', rule, `\n${body}\n`)).toEqual([]);
});

test.each([
  ['[A](/rules/gone.md)', /'\/rules\/gone\.md' leads nowhere: there is no 'rules\/gone\.md'/],
  ['[A](gone.md#x)', /leads nowhere: there is no 'rules\/gone\.md'/],
  ['[A](b.md)', /should be absolute: '\/rules\/b\.md'/],
  ['[A](../assistants/bot/ASSISTANT.md)', /should be absolute: '\/assistants\/bot\/ASSISTANT\.md'/],
  ['[[rules/gone]]', /leads nowhere: there is no 'rules\/gone\.md'/],
])('the link %j gets a hint at its line', (body, message) => {
  expect(lint('rules/a.md', rule, `\nText.\n\n${body}\n`)).toEqual([{ field: 'body', line: 11, issue: expect.stringMatching(message) }]);
});

test('an outside source asks for a section of citations', () => {
  const body = '\nSee [the study](https://example.org/study).\n';
  expect(lint('rules/a.md', rule, body)).toEqual([{ field: 'body', line: 9, issue: expect.stringContaining('# Citations') }]);
  expect(lint('rules/a.md', rule, `${body}\n# Citations\n\n1. The study.\n`)).toEqual([]);
  expect(lint('threads/t/CONVERSATION.md', { type: 'thread', thread_id: 't' }, body)).toEqual([]);
});

test('files that are no documents get no hints', () => {
  for (const text of ['# Readme [A](/gone.md)\n', '---\na: 1\na: 2\n---\n']) {
    expect(lintDocument({ path: 'README.md', parsed: parseDocument(text), registry, exists: () => false })).toEqual([]);
  }
});
