import { RE2JS } from 're2js';

/** True when the pattern is found anywhere in the value. */
export type PatternMatcher = (value: string) => boolean;

/** General categories by their long names, which the engine knows only by their short ones. */
const categories: Readonly<Record<string, string>> = {
  Letter: 'L',
  Cased_Letter: 'LC',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  Symbol: 'S',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Separator: 'Z',
  Space_Separator: 'Zs',
};

// The engine's \s is ASCII and its dot stops only at \n; these are the sets ECMAScript gives the same signs.
const spaces = '\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const notSpaces =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const dot = '[^\\n\\r\\x{2028}\\x{2029}]';

/** Compiling takes longer than linear time, so a pattern of megabytes would stall the opening of a vault. */
const maxLength = 4096;

/**
 * Compiles a registry pattern (§5.6, readings: patterns): ECMAScript syntax under the `u` flag, searched unanchored, by an engine whose
 * time is linear in the value, so that no registry can stall a vault. Look-around and back-references, which no such engine has, are
 * refused.
 *
 * @throws Error whose message says what the pattern does wrong
 * @example compilePattern('^[\\p{L} ]+$')('顧客')
 */
export function compilePattern(source: string): PatternMatcher {
  if (source.length > maxLength) throw new Error(`the pattern has ${source.length} signs, and at most ${maxLength} are allowed`);
  let expression: RE2JS;
  try {
    // Compiled by both: the first says whether the pattern is what its author believes it to be, only the second ever runs.
    new RegExp(source, 'u');
    expression = RE2JS.compile(translate(source));
  } catch (error) {
    throw new Error(`the pattern '${source}' cannot be used: ${(error as Error).message}`, { cause: error });
  }
  return value => expression.test(value);
}

const escapeSequence =
  /\\(?:u\{(?<braced>[0-9a-fA-F]+)\}|u(?<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?<low>[dD][c-fC-F][0-9a-fA-F]{2})|u(?<unit>[0-9a-fA-F]{4})|x(?<byte>[0-9a-fA-F]{2})|c(?<control>[A-Za-z])|(?<polarity>[pP])\{(?<property>[^}]*)\}|(?<plain>.))/suy;
const groupStart = /\(\?(?:<(?![=!])[^>]*>|(?<kind>.))/suy;
const character = /./suy;

/** Rewrites ECMAScript `u` syntax into the engine's, sign by sign. */
function translate(source: string): string {
  let translated = '';
  let inClass = false;
  let at = 0;
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const found = token.exec(source);
    if (found !== null) at = token.lastIndex;
    return found;
  };
  while (at < source.length) {
    const escaped = take(escapeSequence);
    const group = escaped === null && !inClass ? take(groupStart) : null;
    if (escaped !== null) translated += translateEscape(escaped.groups ?? {}, inClass);
    else if (group !== null) translated += translateGroup(group.groups?.kind);
    else {
      const sign = take(character)![0];
      translated += !inClass && sign === '.' ? dot : inClass && sign === '[' ? '\\[' : sign;
      if (sign === '[') inClass = true;
      else if (sign === ']') inClass = false;
    }
  }
  return translated;
}

const codePoint = (code: number): string => `\\x{${code.toString(16)}}`;

function propertyName(property: string): string {
  const [name, value] = property.split('=');
  if (value === undefined) return categories[property] ?? property;
  if (name === 'Script' || name === 'sc') return value;
  if (name === 'General_Category' || name === 'gc') return categories[value] ?? value;
  throw new Error(`the property '${property}' is not supported; use a general category or Script=…`);
}

function translateEscape(parts: Readonly<Record<string, string | undefined>>, inClass: boolean): string {
  const { high, low, control, polarity, property, plain } = parts;
  const hex = parts.braced ?? parts.unit ?? parts.byte;
  if (hex !== undefined) return codePoint(parseInt(hex, 16));
  // A surrogate pair is one character under the `u` flag.
  if (high !== undefined && low !== undefined)
    return codePoint((parseInt(high, 16) - 0xd800) * 0x400 + parseInt(low, 16) - 0xdc00 + 0x10000);
  if (control !== undefined) return codePoint(control.charCodeAt(0) % 32);
  if (polarity !== undefined) return `\\${polarity}{${propertyName(property ?? '')}}`;
  if (plain === undefined || /[1-9k]/.test(plain))
    throw new Error('back-references are not supported (patterns are matched in linear time)');
  if (plain === 's') return inClass ? spaces : `[${spaces}]`;
  if (plain === 'S') return inClass ? notSpaces : `[${notSpaces}]`;
  if (plain === 'b' && inClass) return codePoint(8);
  if (plain === '0') return codePoint(0);
  return plain === '/' ? '/' : `\\${plain}`;
}

function translateGroup(kind: string | undefined): string {
  // What a group captured is never read, so its name is dropped.
  if (kind === undefined) return '(';
  if (kind === ':') return '(?:';
  if (kind === '=' || kind === '!' || kind === '<') {
    throw new Error('look-ahead and look-behind are not supported (patterns are matched in linear time)');
  }
  throw new Error(`'(?${kind}' is not supported; write the pattern without inline flags`);
}
