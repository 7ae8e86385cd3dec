import { errorCodes } from '#errors';
import { asText, isMap, type Json, type JsonMap, sameJson, show } from './json.ts';
import { differences } from './match-json.ts';
import type { Expectation } from './scenario.ts';

/** What a response amounts to: `commit`, `replay`, `unchanged`, `dry_run`, or its error code. */
export const outcomeOf = (response: JsonMap): string => {
  if (response.success !== true) return asText(isMap(response.error) ? response.error.code : undefined);
  if (response.replay === true) return 'replay';
  if (response.dry_run === true) return 'dry_run';
  return response.unchanged === true ? 'unchanged' : 'commit';
};

/** Every way a response differs from §6.5 and from what the step expects. `earlier` finds named answers of the same scenario. */
export const responseProblems = (response: JsonMap, expect: Expectation, earlier: (name: string) => JsonMap): readonly string[] => [
  ...shapeProblems(response),
  ...outcomeProblems(response, expect),
  ...repairProblems(response, expect),
  ...(expect.response === undefined ? [] : differences(expect.response, response)),
  ...(expect.absent ?? []).filter(key => Object.hasOwn(response, key)).map(key => `'${key}' must be absent, is ${show(response[key])}`),
  ...warningProblems(response, expect),
  ...comparisonProblems(response, expect, earlier),
];

const shapeProblems = (response: JsonMap): readonly string[] => {
  const validation = isMap(response.validation) ? response.validation : {};
  const common = [
    typeof response.success === 'boolean' ? null : 'success is no boolean',
    typeof response.operation_id === 'string' ? null : 'operation_id is no text',
    Array.isArray(validation.errors) && Array.isArray(validation.warnings) ? null : 'validation lacks errors or warnings',
    validation.valid === response.success ? null : 'validation.valid differs from success',
  ];
  return [...common, ...(response.success === true ? successShape(response) : failureShape(response))].filter(problem => problem !== null);
};

const successShape = (response: JsonMap): readonly (string | null)[] => {
  const committed = typeof response.committed_at === 'string';
  return [
    typeof response.path === 'string' ? null : 'path is no text',
    committed === (typeof response.event_id === 'string') ? null : 'event_id must be there exactly when committed',
    Object.hasOwn(response, 'replay') && response.replay !== true ? 'replay may only be true' : null,
    isMap(response.validation) && typeof response.validation.type === 'string' ? null : 'validation.type is no text',
  ];
};

const failureShape = (response: JsonMap): readonly (string | null)[] => {
  const error = isMap(response.error) ? response.error : {};
  return [
    Object.hasOwn(errorCodes, asText(error.code)) ? null : `error.code ${show(error.code)} is none of the nine`,
    typeof error.message === 'string' && error.message !== '' ? null : 'error.message is empty',
    response.committed_at === null ? null : 'committed_at is not null',
    Object.hasOwn(response, 'event_id') ? 'a failure has no event_id' : null,
    isMap(response.repair) && Array.isArray(response.repair.field_errors) ? null : 'repair.field_errors is missing',
  ];
};

const outcomeProblems = (response: JsonMap, expect: Expectation): readonly string[] => {
  const outcome = outcomeOf(response);
  const allowed = expect.outcome_in ?? [expect.outcome];
  if (!allowed.includes(outcome)) return [`expected ${allowed.join(' or ')}, got ${outcome}${reason(response)}`];
  const { message_contains: part } = expect;
  return part === undefined || messageOf(response).includes(part) ? [] : [`message lacks '${part}': ${messageOf(response)}`];
};

const reason = (response: JsonMap): string => (response.success === true ? '' : ` (${messageOf(response)})`);

const messageOf = (response: JsonMap): string => asText(isMap(response.error) ? response.error.message : '');

const fieldErrors = (response: JsonMap): readonly JsonMap[] => {
  const errors = isMap(response.repair) ? response.repair.field_errors : [];
  return Array.isArray(errors) ? errors.filter(isMap) : [];
};

const repairProblems = (response: JsonMap, expect: Expectation): readonly string[] => {
  const errors = fieldErrors(response);
  const named = errors.map(error => asText(error.field));
  const lines = errors.map(error => error.line);
  const { any_field: any, field_prefix: prefix, line } = expect;
  const problems = [
    outcomeOf(response) !== 'validation_failed' || errors.length > 0 ? null : 'validation_failed without repair feedback',
    named.includes('') ? 'a repair entry names no field' : null,
    any === undefined || any.some(field => named.includes(field)) ? null : `repair names ${show(named)}, none of ${show(any)}`,
    prefix === undefined || named.some(field => startsAt(field, prefix)) ? null : `repair names ${show(named)}, nothing at '${prefix}'`,
    line === undefined || lines.includes(line) ? null : `repair points at lines ${show(lines)}, not at ${line}`,
    expect.has_line !== true || lines.some(each => typeof each === 'number') ? null : 'repair points at no line',
  ];
  const missing = (expect.fields ?? []).filter(field => !named.includes(field));
  return [...problems.filter(problem => problem !== null), ...missing.map(field => `repair names ${show(named)}, not '${field}'`)];
};

const startsAt = (field: string, prefix: string): boolean =>
  field === prefix || field.startsWith(`${prefix}[`) || field.startsWith(`${prefix}.`);

const warningProblems = (response: JsonMap, { warnings }: Expectation): readonly string[] => {
  if (warnings === undefined) return [];
  const got = isMap(response.validation) ? response.validation.warnings : [];
  const count = Array.isArray(got) ? got.length : 0;
  const right = typeof warnings === 'number' ? count === warnings : count >= warnings.min;
  return right ? [] : [`expected warnings ${show(warnings)}, got ${show(got)}`];
};

const comparisonProblems = (response: JsonMap, expect: Expectation, earlier: (name: string) => JsonMap): readonly string[] => {
  const without = (value: JsonMap, ...keys: readonly string[]): JsonMap =>
    Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
  const compare = (name: string | undefined, part: (value: JsonMap) => Json, what: string): readonly string[] => {
    if (name === undefined || sameJson(part(earlier(name)), part(response))) return [];
    return [`${what} differs from '${name}': ${show(part(response))} against ${show(part(earlier(name)))}`];
  };
  const quiet = (value: JsonMap): JsonMap => ({
    ...without(value, 'replay'),
    validation: without(value.validation as JsonMap, 'warnings'),
  });
  return [
    ...compare(expect.same_as, value => without(value, 'replay'), 'the answer'),
    ...compare(expect.same_but_warnings, quiet, 'the answer without warnings'),
    // The path is the caller's own word and may stand in the message.
    ...compare(expect.same_message_as, value => messageOf(value).replaceAll(asText(value.path), '…'), 'the message'),
    ...compare(expect.same_failure_as, value => without(value, 'operation_id'), 'the refusal'),
  ];
};
