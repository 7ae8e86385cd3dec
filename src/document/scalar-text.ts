/**
 * Canonical text of a string (readings: writing frontmatter): bare when no YAML 1.1 or 1.2 reader can take it for anything else,
 * otherwise in double quotes with JSON escapes.
 */
export const stringText = (text: string): string => (bareShape.test(text) && !isTypedSomewhere(text) ? text : quotedText(text));

/** As `stringText`; a key must not look like a document end marker either. */
export const keyText = (key: string): string => (key.startsWith('... ') ? quotedText(key) : stringText(key));

/** Double-quoted text on one line: readable as JSON and as YAML, without any raw control or invisible separator. */
export const quotedText = (text: string): string =>
  JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

// First a letter, a digit or one of _ / . $; no colon or hash where YAML would read a key or a comment; no quotes,
// backslashes, flow characters, controls or separators; no space at the end.
const bareShape = /^[\p{L}\d_/.$](?:(?!: | #|:$| $)[^"'\\,[\]{}\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff])*$/u;

const isTypedSomewhere = (text: string): boolean =>
  words.test(text) || number.test(text) || radixInteger.test(text) || dateOrTime.test(text);

const words = /^(?:null|true|false|yes|no|on|off|y|n|\.inf|\.nan)$/i;
const number = /^(?:\d[\d_]*(?:\.[\d_]*)?|\.[\d_]*)(?:[eE][-+]?\d+)?$/;
const radixInteger = /^0[xXoObB][\da-fA-F_]+$/;
const dateOrTime = /^(?:\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d.*)?|\d[\d_]*(?::\d{1,2})+(?:\.\d*)?)$/;

/** Shortest decimal text without an exponent; the value is finite and no integer beyond ±(2^53−1) (readings: writing frontmatter). */
export const numberText = (value: number): string => {
  const shortest = String(value + 0);
  const match = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(shortest);
  if (match === null) return shortest;
  const [, sign = '', first = '', rest = '', exponent = ''] = match;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`;
};
