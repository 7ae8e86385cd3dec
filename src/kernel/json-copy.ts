import { emptyMap, isWellFormed } from '#document';
import type { FieldIssue } from '#errors';

/** As deep as a document may nest (readings: frontmatter grammar). */
const maxDepth = 64;
// Keys become lines of frontmatter: a control character or a line break in one could start a second entry.
const unsafeKey = /[\p{Control}\u2028\u2029]/u;

export interface JsonRules {
  /** Keys must be usable as frontmatter keys, and numbers must survive the canonical form of §6.4. */
  readonly frontmatter: boolean;
}

/**
 * A deep copy of a JSON value on null-prototype maps, so that nothing the caller does later reaches the kernel. Whatever JSON cannot carry
 * is reported in `issues` under `field`.
 */
export function copyJson(value: unknown, field: string, rules: JsonRules, issues: FieldIssue[], depth = 0): unknown {
  const refuse = (issue: string): null => {
    issues.push({ field, issue });
    return null;
  };
  if (depth > maxDepth) return refuse(`Nested deeper than ${maxDepth} levels; flatten it.`);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return isWellFormed(value) ? value : refuse('Contains a lone surrogate, which has no UTF-8 form.');
  if (typeof value === 'number') return numberProblem(value, rules) === null ? value : refuse(numberProblem(value, rules)!);
  if (Array.isArray(value)) return Array.from(value, (item, index) => copyJson(item, `${field}[${index}]`, rules, issues, depth + 1));
  if (typeof value !== 'object') return refuse(`A ${typeof value} is not a JSON value.`);
  if (!isPlain(value)) return refuse('An object of a class, such as a Date, is not a JSON value; send its text.');
  const copy = emptyMap() as Record<string, unknown>;
  for (const [key, member] of Object.entries(value)) {
    const problem = keyProblem(key, rules);
    if (problem !== null) refuse(problem);
    else copy[key] = copyJson(member, `${field}.${key}`, rules, issues, depth + 1);
  }
  return copy;
}

/** A map, from whatever realm: copying any other object by its own keys would quietly lose what it stands for. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function numberProblem(value: number, rules: JsonRules): string | null {
  if (!Number.isFinite(value)) return 'Not a finite number.';
  // Larger integers collapse onto one double, and two different requests would share one request hash (§6.4).
  if (rules.frontmatter && Number.isInteger(value) && !Number.isSafeInteger(value)) return 'Integer beyond ±(2^53−1); send it as a string.';
  return null;
}

function keyProblem(key: string, rules: JsonRules): string | null {
  if (!isWellFormed(key)) return 'A key contains a lone surrogate, which has no UTF-8 form.';
  if (!rules.frontmatter) return null;
  if (key === '') return 'A key is empty.';
  return unsafeKey.test(key) ? `The key ${JSON.stringify(key)} contains a control character or a line break.` : null;
}
