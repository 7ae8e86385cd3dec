import { matchGlob } from '#document';

/** What a run wants to write, as far as taint is concerned. */
export interface TaintedWrite {
  readonly type: 'operation' | 'patch' | 'event' | 'delete';
  readonly path: string;
  /** Qualified types of the document as it is and as it would be; unknown ones included as they are written. */
  readonly types: readonly string[];
}

/** Documents that tell others what to do; text from outside must not become one of them without a person. */
const directingTypes: ReadonlySet<string> = new Set([
  'ssss:workflow',
  'ssss:trigger',
  'ssss:skill',
  'ssss:assistant',
  'ssss:rule',
  'ssss:role',
  'ssss:security_role',
  'ssss:model',
  'ssss:page',
]);

/**
 * Why a run that has read text from outside may not write this without a person (readings: rights of a run); null when it may. `named` holds the globs
 * of what a person named: `x_writes` of the workflow and of the assistant.
 */
export const taintedRefusal = (write: TaintedWrite, named: readonly string[]): string | null => {
  const directing = write.types.find(type => directingTypes.has(type));
  if (directing !== undefined) return `a ${directing} tells others what to do`;
  if (write.type === 'delete') return 'a deletion needs a person';
  return named.some(glob => matchGlob(glob, write.path)) ? null : 'no person named this path (`x_writes` of the workflow or the assistant)';
};
