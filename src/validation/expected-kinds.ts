import { isMap, type Value } from '#document';

type Kind = 'string' | 'boolean' | 'integer' | 'number' | 'list' | 'list of strings' | 'list of maps' | 'map';

/** What the standard's prose says a field holds; the registry has no type keyword, so a breach only warns (readings: kinds of values). */
export interface ExpectedKind {
  readonly kind: Kind;
  readonly min?: number;
  readonly max?: number;
}

const string: ExpectedKind = { kind: 'string' };
const strings: ExpectedKind = { kind: 'list of strings' };
const integer: ExpectedKind = { kind: 'integer' };
const counter: ExpectedKind = { kind: 'integer', min: 0 };
const boolean: ExpectedKind = { kind: 'boolean' };
const transcript = { turn_count: counter, created_at: string };

const everywhere: Readonly<Record<string, ExpectedKind>> = {
  title: string,
  description: string,
  timestamp: string,
  name: string,
  slug: string,
  resource: string,
  semantic_id: string,
  language: string,
  tags: strings,
  aliases: strings,
  relations: { kind: 'list' },
  confidence: { kind: 'number', min: 0, max: 1 },
};

const byType: Readonly<Record<string, Readonly<Record<string, ExpectedKind>>>> = {
  'ssss:memory': { importance: { kind: 'integer', min: 1, max: 5 }, immutable: boolean, schema_version: integer },
  'ssss:asset': { size_bytes: counter, storage_uri: string, mime_type: string, hash: string },
  'ssss:resource': { kind: string, binds: { kind: 'map' } },
  'ssss:role': { permissions: strings },
  'ssss:security_role': { permissions: strings },
  'ssss:task': { priority: integer, attempts: counter, scheduled_for: string },
  'ssss:assistant': { model: string, owns: strings },
  'ssss:workflow': { triggers: { kind: 'list of maps' }, isActive: boolean },
  'ssss:trigger': { event_subject: string, event_match: { kind: 'map' }, target_params: { kind: 'map' }, target_workflow: string },
  'ssss:thread': transcript,
  'ssss:conversation': transcript,
  'ssss:run': { step_count: counter, started_at: string },
  'ssss:release': { schema_version: integer },
};

/** The expectations for a type, universal ones included. */
export const expectedKinds = (qualified: string | null): Readonly<Record<string, ExpectedKind>> => ({
  ...everywhere,
  ...(qualified === null ? {} : byType[qualified]),
});

/** What is unexpected about a value, as the end of a sentence; null when nothing is. */
export function kindProblem(value: Value, { kind, min, max }: ExpectedKind): string | null {
  if (!isKind(value, kind)) return `should be ${kind === 'integer' ? 'an' : 'a'} ${kind}`;
  if (typeof value !== 'number') return null;
  if (min !== undefined && value < min) return `should be at least ${min}`;
  return max !== undefined && value > max ? `should be at most ${max}` : null;
}

function isKind(value: Value, kind: Kind): boolean {
  switch (kind) {
    case 'integer':
      return Number.isInteger(value);
    case 'list':
      return Array.isArray(value);
    case 'list of strings':
      return Array.isArray(value) && value.every(element => typeof element === 'string');
    case 'list of maps':
      return Array.isArray(value) && value.every(isMap);
    case 'map':
      return isMap(value);
    default:
      return typeof value === kind;
  }
}
