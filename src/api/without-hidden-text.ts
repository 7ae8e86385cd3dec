import type { Principal } from '#adapter-contracts';
import { isMap } from '#document';
import { completePrincipal, type KernelResponse } from '#kernel';
import type { Registry } from '#registry';
import { mayRead } from './read-rights.ts';

/**
 * The response to an envelope, without what it quotes of a stored document that the caller may not read (§6.6). Validation comes before authorization
 * (§6.3) and looks at the whole document a patch would leave, so without this anybody could have a private field named by patching another.
 */
export const withoutHiddenText = (registry: Registry, caller: unknown, envelope: unknown, response: KernelResponse): KernelResponse => {
  if (!isMap(envelope) || !mayQuote(response) || isReader(registry, caller, response.validation.type)) return response;
  if (envelope.type === 'patch') return patchAnswer(response);
  return envelope.type === 'operation' && !response.success ? operationAnswer(registry, response) : response;
};

type Failure = Extract<KernelResponse, { success: false }>;

const mayQuote = (response: KernelResponse): boolean =>
  response.validation.warnings.length > 0 || (!response.success && response.error.code === 'validation_failed');

const isReader = (registry: Registry, caller: unknown, type: string | null): boolean => {
  let principal: Principal;
  try {
    principal = completePrincipal(caller);
  } catch {
    return false;
  }
  return mayRead(principal, registry, type);
};

/** A patch says little of the document it leaves, so everything said of that document may be about what stood there. */
const patchAnswer = (response: KernelResponse): KernelResponse => {
  const validation = { ...response.validation, warnings: [] };
  if (response.success) return { ...response, validation } as KernelResponse;
  if (response.error.code !== 'validation_failed') return { ...response, validation } as KernelResponse;
  const { error } = response;
  return {
    ...response,
    validation: { ...response.validation, errors: [`patches: ${issue}`], warnings: [] },
    repair: { field_errors },
    error: { ...error, message: issue },
  };
};

const issue = 'The patched document would not be valid; what is wrong with it is told only to those who may read it.';
const field_errors = [{ field: 'patches', issue }];

/** What an operation stores is the caller's own; only the refusal of an immutable field names what stands there. */
const operationAnswer = (registry: Registry, response: Failure): KernelResponse => {
  const { type } = response.validation;
  const definition = type === null ? null : registry.resolve(type);
  const immutable = new Set(definition?.immutable_fields ?? []);
  const issues = response.repair.field_errors;
  if (!issues.some(({ field }) => immutable.has(field))) return response;
  const kept = issues.map(one =>
    immutable.has(one.field) ? { ...one, issue: `Field '${one.field}' of a '${definition?.type}' is wrong or immutable.` } : one,
  );
  const errors = kept.map(({ field, issue }) => `${field}: ${issue}`);
  return {
    ...response,
    validation: { ...response.validation, errors },
    repair: { field_errors: kept },
    error: { code: response.error.code, message: errors.join(' ') },
  };
};
