import { type Document, hasKey, isMap, type Value } from '#document';
import type { FieldIssue } from '#errors';
import {
  capabilityActions,
  conditionHolds,
  type Definition,
  effectivePortability,
  isCapability,
  isPortabilityClass,
  type Registry,
} from '#registry';
import { expectedKinds, kindProblem } from './expected-kinds.ts';
import { fieldValue, issueAt, shown } from './field-issue.ts';

type Warnings = (document: Document, registry: Registry, definition: Definition | null) => readonly FieldIssue[];

/** What a document says that the standard advises against but does not forbid. Never blocks a commit (§9). */
export const contentWarnings: Warnings = (document, registry, definition) =>
  sources.flatMap(source => source(document, registry, definition));

const sources: readonly Warnings[] = [
  kindWarnings,
  timestampWarnings,
  portabilityWarnings,
  renamedFieldWarnings,
  invariantWarnings,
  pointerBodyWarnings,
  permissionWarnings,
  triggerWarnings,
  primitiveActionWarnings,
];

const dateTime = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/;

function kindWarnings(document: Document, _registry: Registry, definition: Definition | null): readonly FieldIssue[] {
  return Object.entries(expectedKinds(definition?.qualified ?? null)).flatMap(([field, expected]) => {
    const value = fieldValue(document.data, field);
    const problem = value === undefined || value === null ? null : kindProblem(value, expected);
    return problem === null ? [] : [issueAt(document, field, `Field '${field}' ${problem}, but is ${shown(value)}.`)];
  });
}

function timestampWarnings(document: Document): readonly FieldIssue[] {
  const timestamp = fieldValue(document.data, 'timestamp');
  if (typeof timestamp !== 'string' || timestamp === '' || dateTime.test(timestamp)) return [];
  return [
    issueAt(
      document,
      'timestamp',
      `Field 'timestamp' should be an ISO 8601 time such as 2026-05-16T14:00:00Z, but is ${shown(timestamp)}.`,
    ),
  ];
}

/** An override that does nothing must not look like one that protects (readings: portability overrides). */
function portabilityWarnings(document: Document, _registry: Registry, definition: Definition | null): readonly FieldIssue[] {
  const override = fieldValue(document.data, 'x_portability');
  if (override === undefined) return [];
  if (!isPortabilityClass(override)) {
    const issue = `Field 'x_portability' is ignored: ${shown(override)} is no class. Use structural, resource_bound or tenant_private.`;
    return [issueAt(document, 'x_portability', issue)];
  }
  if (definition === null || effectivePortability(definition, document.data) === override) return [];
  const issue = `Field 'x_portability' has no effect: the type '${definition.type}' is ${definition.portability}, and a document may only be more private than its type.`;
  return [issueAt(document, 'x_portability', issue)];
}

function renamedFieldWarnings(document: Document): readonly FieldIssue[] {
  if (!hasKey(document.data, 'locale')) return [];
  return [issueAt(document, 'locale', "Field 'locale' is deprecated; write the tag as 'language'.")];
}

function invariantWarnings(document: Document, _registry: Registry, definition: Definition | null): readonly FieldIssue[] {
  const { data } = document;
  if (definition?.qualified !== 'ssss:memory' || data.category !== 'invariants') return [];
  if (data.priority === 'absolute' && data.immutable === true) return [];
  return [issueAt(document, 'category', "A memory of the category 'invariants' should carry 'priority: absolute' and 'immutable: true'.")];
}

function pointerBodyWarnings(document: Document, _registry: Registry, definition: Definition | null): readonly FieldIssue[] {
  if (definition?.qualified !== 'ssss:asset' || !conditionHolds('encoding==none', document.data)) return [];
  if (document.body.trim() === '') return [];
  const issue = 'An asset that points elsewhere (encoding: none) should have an empty body; move the text into the description.';
  return [{ field: 'body', issue, line: document.bodyLine }];
}

function permissionWarnings(document: Document, _registry: Registry, definition: Definition | null): readonly FieldIssue[] {
  if (definition?.qualified !== 'ssss:role' && definition?.qualified !== 'ssss:security_role') return [];
  const permissions = fieldValue(document.data, 'permissions');
  const strings = Array.isArray(permissions) ? permissions.filter(entry => typeof entry === 'string') : [];
  // `*:<type>` is the pre-0.9 spelling that role compatibility still expands (§6.6).
  return strings
    .filter(permission => !isCapability(permission.replace(/^\*:(?!\*$)/, 'write:')))
    .map(permission =>
      issueAt(
        document,
        'permissions',
        `${shown(permission)} is no capability and grants nothing; write 'scope:action', such as 'ssss:task:create' or 'write:event'.`,
      ),
    );
}

/** Trigger entries of a workflow and their vocabularies (§5.4, §11.8), which live in the registry's runtime block and bind nobody at write time. */
function triggerWarnings(document: Document, registry: Registry, definition: Definition | null): readonly FieldIssue[] {
  const triggers = fieldValue(document.data, 'triggers');
  if (definition?.qualified !== 'ssss:workflow' || !Array.isArray(triggers)) return [];
  const { runtime } = registry.vocabularies;
  const vocabularies = { type: runtime.trigger_types, misfire_policy: runtime.misfire_policies, concurrency: runtime.concurrency_policies };
  return (triggers as readonly Value[]).flatMap((entry, index) => {
    if (!isMap(entry)) return [];
    return Object.entries(vocabularies).flatMap(([key, allowed]) => {
      const value = fieldValue(entry, key);
      if (value === undefined ? key !== 'type' : typeof value === 'string' && allowed.includes(value)) return [];
      const is = value === undefined ? 'is missing' : `is ${shown(value)}`;
      return [
        issueAt(
          document,
          'triggers',
          `Entry ${index + 1} of 'triggers' will not fire as written: its '${key}' ${is}. Use one of: ${allowed.join(', ')}.`,
        ),
      ];
    });
  });
}

/** Accepted by the meta-schema, refused at activation: said early. */
function primitiveActionWarnings(document: Document, _registry: Registry, definition: Definition | null): readonly FieldIssue[] {
  const capabilities = fieldValue(document.data, 'capabilities');
  if (definition?.qualified !== 'ssss:primitive' || !isMap(capabilities)) return [];
  return Object.keys(capabilities)
    .filter(action => !(capabilityActions as readonly string[]).includes(action))
    .map(action =>
      issueAt(
        document,
        'capabilities',
        `No request has the action '${action}', so the primitive cannot be activated with it. Use: ${capabilityActions.join(', ')}.`,
      ),
    );
}
