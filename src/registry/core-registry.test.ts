import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Definition, describeRegistry, loadCoreRegistry } from './index.ts';

type Fact = Partial<Definition> & { readonly required: readonly string[] };

const memoryGraph = ['confidence', 'importance', 'modality', 'subject', 'predicate', 'object', 'sentiment_polarity'];
const transcript: Fact = {
  family: 'transcript',
  portability: 'tenant_private',
  append_only: true,
  canonical_filename: 'CONVERSATION.md',
  required: ['thread_id'],
  optional_fields: ['workspace_id', 'user_id', 'status', 'turn_count', 'created_at'],
};
const role: Fact = { family: 'governance', canonical_filename: 'ROLE.md', required: ['name', 'permissions'] };

/** What SSSS 0.9 says about each type, written down a second time: a slip in the data file shows here. */
const facts: Readonly<Record<string, Fact>> = {
  memory: {
    family: 'knowledge',
    canonical_filename: '<slug>.md',
    required: ['slug', 'category', 'status', 'schema_version'],
    optional_fields: ['immutable', 'priority'],
    required_when: { 'schema_version==2': memoryGraph },
    enums: {
      category: ['invariants', 'patterns', 'anti-patterns', 'preferences', 'decisions', 'concepts', 'facts', 'lore'],
      modality: ['must', 'must_not', 'should', 'should_not', 'descriptive', 'preference'],
      sentiment_polarity: ['directive_must', 'directive_must_not', 'descriptive', 'preference'],
      priority: ['absolute', 'high', 'normal', 'low'],
    },
  },
  skill: { family: 'capability', canonical_filename: 'SKILL.md', required: ['name'] },
  asset: {
    family: 'capability',
    canonical_filename: '<slug>.md',
    required: ['name', 'mime_type', 'encoding'],
    optional_fields: ['slug', 'hash', 'size_bytes', 'storage_uri', 'resource_ref', 'x_portability'],
    required_when: { 'encoding==none': ['storage_uri', 'x_portability'] },
    enums: { encoding: ['base64', 'utf-8', 'none'] },
    enums_when: { 'encoding==none': { x_portability: ['resource_bound', 'tenant_private'] } },
    references: { resource_ref: { allowed_types: ['resource'], must_exist: true } },
    resource: { binds: ['storage_uri'], kind: 'storage', relation: 'stores_asset' },
  },
  resource: {
    family: 'capability',
    portability: 'resource_bound',
    required: ['name', 'kind', 'status'],
    optional_fields: ['slug', 'binds', 'provisioning'],
    enums: { status: ['bound', 'unbound', 'pending', 'error'] },
    resource: { binds: ['binds'] },
  },
  rule: { family: 'governance', required: ['name'], optional_fields: ['scope'] },
  role,
  security_role: role,
  task: {
    family: 'work',
    portability: 'tenant_private',
    canonical_filename: '<slug>.md',
    required: ['priority', 'category', 'status'],
    optional_fields: [
      ...['workflow_id', 'workflow_path', 'trigger_id', 'trigger_type', 'trigger_event_id', 'scheduled_for', 'dedupe_key'],
      ...['claim_id', 'claimed_by', 'claimed_at', 'attempts', 'next_attempt_at'],
    ],
    enums: { status: ['pending', 'in_progress', 'done', 'failed'] },
  },
  assistant: { family: 'actor', canonical_filename: 'ASSISTANT.md', required: ['name'], optional_fields: ['model', 'owns'] },
  workflow: {
    family: 'work',
    canonical_filename: 'WORKFLOW.md',
    required: ['name'],
    optional_fields: ['workflow_id', 'slug', 'triggers', 'isActive', 'priority', 'misfire_policy', 'concurrency'],
  },
  trigger: {
    family: 'work',
    required: ['name', 'source', 'status'],
    optional_fields: ['slug', 'cron', 'interval', 'timezone', 'target_workflow', 'target_params', 'event_subject', 'event_match'],
    enums: {
      source: ['cron', 'interval', 'webhook', 'event', 'file_change', 'condition', 'manual'],
      status: ['active', 'paused', 'disabled'],
      concurrency: ['allow_parallel', 'skip_if_running', 'enqueue', 'replace'],
      misfire_policy: ['skip', 'run_once', 'catch_up'],
    },
  },
  model: { family: 'catalog', canonical_filename: 'MODEL.md', required: ['model_id', 'provider'], optional_fields: ['display_name'] },
  thread: transcript,
  conversation: transcript,
  run: {
    family: 'transcript',
    portability: 'tenant_private',
    append_only: true,
    canonical_filename: 'RUN.md',
    required: ['run_id', 'workflow_id'],
    optional_fields: [
      ...['task_id', 'task_path', 'workspace_id', 'status', 'step_count', 'started_at', 'ended_at', 'claimed_by', 'provenance'],
    ],
    enums: {
      status: ['queued', 'claimed', 'running', 'waiting_for_human', 'succeeded', 'failed', 'canceled', 'retrying', 'dead_letter'],
    },
  },
  conflict: {
    family: 'meta',
    portability: 'tenant_private',
    required: ['conflict_id', 'status', 'new_slug', 'existing_slug', 'detected_at'],
    enums: { status: ['pending', 'resolved'] },
  },
  page: { family: 'capability', required: ['slug', 'name', 'sandbox_entry'], optional_fields: ['icon', 'layout'] },
  migration: { family: 'meta', required: ['migration_id', 'from_version', 'to_version', 'status'] },
  release: { family: 'meta', required: ['release_id', 'version', 'schema_version', 'summary', 'released_at'] },
  primitive: {
    family: 'meta',
    canonical_filename: 'primitives/<namespace>/<id>.md',
    required: ['primitive_id', 'namespace', 'version', 'name', 'mutation', 'portability', 'scopes', 'fields'],
    optional_fields: [
      ...['language', 'revision', 'aliases', 'path_template', 'capabilities', 'events', 'projections', 'ui', 'migrations', 'requires'],
    ],
    enums: {
      mutation: ['replace', 'append'],
      portability: ['structural', 'resource_bound', 'tenant_private'],
      scopes: ['system', 'account', 'workspace', 'user'],
    },
    patterns: {
      primitive_id: '^[a-z][a-z0-9_-]{0,63}:[a-z][a-z0-9_-]{0,127}$',
      namespace: '^[a-z][a-z0-9_-]{0,63}$',
      language: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
    },
    immutable_fields: ['primitive_id', 'namespace'],
  },
};

function expected(type: string, { required, ...fact }: Fact): Definition {
  return {
    type,
    namespace: 'ssss',
    qualified: `ssss:${type}`,
    version: 1,
    contract: false,
    portability: 'structural',
    append_only: false,
    lease_required: false,
    optional_fields: [],
    allow_empty: [],
    required_when: {},
    enums: {},
    enums_when: {},
    patterns: {},
    immutable_fields: [],
    references: {},
    capabilities: {},
    ...fact,
    required_fields: required,
  };
}

const registry = loadCoreRegistry();
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('the core has exactly the twenty document types of the standard, with their rules', () => {
  expect(registry.documentTypes.map(({ type }) => type)).toEqual(Object.keys(facts));
  expect(registry.documentTypes).toHaveLength(20);
  for (const definition of registry.documentTypes) {
    expect(plain(definition)).toEqual(expected(definition.type, facts[definition.type]!));
  }
});

test('the core has the five contract types, and none of them is a type of document', () => {
  expect(registry.contractTypes.map(({ type }) => type)).toEqual(['operation', 'patch', 'event', 'delete', 'lease']);
  expect(registry.contractTypes.every(({ contract }) => contract)).toBe(true);
  for (const { type, qualified } of registry.contractTypes) {
    expect(registry.resolve(type)).toBeNull();
    expect(registry.resolve(qualified)).toBeNull();
  }
});

test('universal fields, reserved keys and the version are the standard’s', () => {
  expect(registry.specVersion).toBe('0.9');
  expect(registry.universalFields).toEqual(['type', 'title', 'description', 'timestamp']);
  expect(registry.reservedKeys.toSorted()).toEqual(
    [
      ...['type', 'title', 'description', 'timestamp', 'semantic_id', 'relations', 'language', 'resource', 'tags', 'aliases', 'feedback'],
      ...['confidence', 'slug', 'schema_version', 'status', 'x_portability'],
    ].toSorted(),
  );
});

test('the vocabularies of bundles, provisioning, runtime and semantics are complete', () => {
  const { bundle, parameter, provisioning, runtime, semantic } = registry.vocabularies;
  expect(bundle.manifest_required_fields).toEqual([
    ...['name', 'description', 'version', 'exported_at', 'ssss_core_version', 'required_extensions', 'export_profile'],
    ...['primitive_inventory', 'provisioning', 'file_count', 'provenance'],
  ]);
  expect(bundle.export_profiles).toEqual(['backup', 'template', 'sale']);
  expect(parameter).toEqual({ required_fields: ['key', 'label', 'type', 'scope', 'source'], sources: ['user', 'llm', 'graph', 'system'] });
  expect(provisioning.systems).toHaveLength(10);
  expect(provisioning.modes).toEqual(['existing', 'provision', 'install', 'generate', 'configure']);
  expect(provisioning.relations).toHaveLength(10);
  expect(provisioning.relations).toContain('connects_to');
  expect(provisioning.install_modes).toEqual(['optional', 'recommended', 'required']);
  expect(runtime.trigger_types).toEqual(['manual', 'cron', 'interval', 'event', 'webhook', 'file_change', 'condition']);
  expect(runtime.trigger_defaults).toEqual({ misfire_policy: 'run_once', concurrency: 'skip_if_running', timezone: 'UTC' });
  expect(semantic.identity_fields).toEqual(['semantic_id', 'resource', 'path']);
});

test('a bare and a qualified name resolve to one definition, an inherited member name to none', () => {
  expect(registry.resolve('rule')).toBe(registry.resolve('ssss:rule'));
  expect(registry.resolve('rule')?.qualified).toBe('ssss:rule');
  for (const name of ['constructor', '__proto__', 'toString', '', 'ssss:', 'Rule', 'acme:rule']) expect(registry.resolve(name)).toBeNull();
});

test('role and security_role, thread and conversation are types of their own', () => {
  expect(registry.resolve('role')).not.toBe(registry.resolve('security_role'));
  expect(registry.resolve('thread')).not.toBe(registry.resolve('conversation'));
});

test('the registry cannot be changed after it was composed', () => {
  const rule = registry.resolve('rule')!;
  expect(() => Object.assign(rule, { portability: 'tenant_private' })).toThrow(TypeError);
  expect(() => (rule.required_fields as string[]).push('x')).toThrow(TypeError);
});

test('the shipped data file names every block once', () => {
  const file = JSON.parse(readFileSync(new URL('../../registry/core.json', import.meta.url), 'utf8')) as Record<string, unknown>;
  expect(Object.keys(file)).toEqual([
    ...['registry', 'spec_version', 'universal_fields', 'reserved_keys', 'primitives', 'contracts'],
    ...['bundle', 'parameter', 'provisioning', 'runtime', 'semantic'],
  ]);
});

test('the description of the registry is plain JSON that leaves unused rules out', () => {
  const description = describeRegistry(registry);
  expect(plain(description)).toEqual(description);
  expect(description.document_types.find(({ type }) => type === 'skill')).toEqual({
    type: 'skill',
    qualified: 'ssss:skill',
    family: 'capability',
    version: 1,
    portability: 'structural',
    required_fields: ['name'],
    canonical_filename: 'SKILL.md',
  });
  expect(description.contract_types).toEqual(['operation', 'patch', 'event', 'delete', 'lease']);
});
