import { isMap, isWellFormed } from '#document';
import { type FieldIssue, reasonOf } from '#errors';
import { copyJson } from './json-copy.ts';
import { invalidRequest, invalidRequests } from './refusals.ts';

const envelopeTypes = ['operation', 'patch', 'event', 'delete'] as const;
export type EnvelopeType = (typeof envelopeTypes)[number];

/** An envelope that passed stage 1 (§6.1): the kernel's own copy, without any identity a client may have put in. */
export interface Envelope {
  readonly type: EnvelopeType;
  readonly workspace_id: string;
  readonly idempotency_key: string;
  readonly path: string;
  readonly content?: string;
  readonly patches?: Readonly<Record<string, unknown>>;
  readonly primitive_type?: string;
  readonly operation_id?: string;
  readonly lease_id?: string;
  readonly dry_run: boolean;
  /** The parsed content of an `event`; null otherwise. */
  readonly payload: unknown;
}

/** What a failure may echo before the envelope is known to be well-formed. */
export interface EnvelopeEcho {
  readonly type: EnvelopeType | null;
  readonly operation_id: string | null;
  readonly path: string | null;
  readonly dry_run: boolean;
}

const isEnvelopeType = (value: unknown): value is EnvelopeType => (envelopeTypes as readonly unknown[]).includes(value);

const member = (input: object, name: string): unknown =>
  Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined;

const noEcho: EnvelopeEcho = { type: null, operation_id: null, path: null, dry_run: false };

/** The well-typed members of whatever arrived, for the failure response. An object that cannot be read gives none; stage 1 then refuses it. */
export function echoOf(input: unknown): EnvelopeEcho {
  try {
    return isMap(input) ? echoOfMap(input) : noEcho;
  } catch {
    return noEcho;
  }
}

function echoOfMap(input: object): EnvelopeEcho {
  const [type, operationId, path] = ['type', 'operation_id', 'path'].map(name => member(input, name));
  return {
    type: isEnvelopeType(type) ? type : null,
    operation_id: typeof operationId === 'string' && operationId !== '' ? operationId : null,
    path: typeof path === 'string' ? path : null,
    dry_run: member(input, 'dry_run') === true,
  };
}

/** Reads an envelope (§6.1, §6.2). Throws `invalid_request` naming every malformed member at once; other members are ignored. */
export function readEnvelope(input: unknown): Envelope {
  if (!isMap(input)) throw invalidRequest({ field: 'envelope', issue: 'An envelope is a JSON object.' });
  const issues: FieldIssue[] = [];
  const type = member(input, 'type');
  if (!isEnvelopeType(type)) issues.push({ field: 'type', issue: `Must be one of ${envelopeTypes.join(', ')}.` });
  const text = (name: string, use: 'required' | 'optional'): string | undefined => readText(input, name, use, issues);
  const envelope = {
    workspace_id: text('workspace_id', 'required'),
    idempotency_key: text('idempotency_key', 'required'),
    path: text('path', 'required'),
    ...given('content', readContent(input, type, issues)),
    ...given('patches', readPatches(input, type, issues)),
    ...given('primitive_type', text('primitive_type', 'optional')),
    ...given('operation_id', text('operation_id', 'optional')),
    ...given('lease_id', text('lease_id', 'optional')),
    dry_run: readDryRun(input, issues),
  };
  checkIntent(input, issues);
  const payload = type === 'event' && envelope.content !== undefined ? readPayload(envelope.content, issues) : null;
  if (issues.length > 0) throw invalidRequests(issues);
  return { ...envelope, type, payload } as Envelope;
}

const given = <K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: V };

/** `null` in an optional member means absent; an empty id can name nothing. */
function readText(input: object, name: string, use: 'required' | 'optional', issues: FieldIssue[]): string | undefined {
  const value = member(input, name);
  if (use === 'optional' && (value === undefined || value === null)) return undefined;
  if (typeof value !== 'string' || value === '') issues.push({ field: name, issue: 'Must be a non-empty string.' });
  else if (isWellFormed(value)) return value;
  else issues.push({ field: name, issue: 'Contains a lone surrogate, which has no UTF-8 form.' });
  return undefined;
}

function readContent(input: object, type: unknown, issues: FieldIssue[]): string | undefined {
  const value = member(input, 'content');
  if (value === undefined && type !== 'operation') return undefined;
  if (value === null && type !== 'operation' && type !== 'event') return undefined;
  if (typeof value !== 'string') {
    const what = type === 'event' ? 'Must be a string of JSON, or absent.' : 'Must be the complete document as a string.';
    issues.push({ field: 'content', issue: what });
  } else if (isWellFormed(value)) return value;
  else issues.push({ field: 'content', issue: 'Contains a lone surrogate, which has no UTF-8 form.' });
  return undefined;
}

function readPatches(input: object, type: unknown, issues: FieldIssue[]): Readonly<Record<string, unknown>> | undefined {
  const value = member(input, 'patches');
  if ((value === undefined || value === null) && type !== 'patch') return undefined;
  if (!isMap(value)) {
    issues.push({ field: 'patches', issue: 'Must be an object of frontmatter keys; `__body__` stands for the body.' });
    return undefined;
  }
  if (Object.hasOwn(value, '__body__') && typeof value.__body__ !== 'string')
    issues.push({ field: 'patches.__body__', issue: 'Must be a string.' });
  return copyJson(value, 'patches', { frontmatter: true }, issues) as Readonly<Record<string, unknown>>;
}

function readDryRun(input: object, issues: FieldIssue[]): boolean {
  const value = member(input, 'dry_run') ?? false;
  // A truthy stand-in would turn a rehearsal into a commit on a host that reads it differently.
  if (typeof value !== 'boolean') issues.push({ field: 'dry_run', issue: 'Must be true or false.' });
  return value === true;
}

function checkIntent(input: object, issues: FieldIssue[]): void {
  const value = member(input, 'intent') ?? '';
  if (typeof value !== 'string' || !isWellFormed(value)) issues.push({ field: 'intent', issue: 'Must be a string of whole characters.' });
}

function readPayload(content: string, issues: FieldIssue[]): unknown {
  try {
    return copyJson(JSON.parse(content), 'content', { frontmatter: false }, issues);
  } catch (error) {
    issues.push({ field: 'content', issue: `Not JSON: ${reasonOf(error)}` });
    return null;
  }
}
