/** A place in a text that looks as if it should not leave. */
export interface PrivateText {
  readonly kind: 'secret' | 'personal' | 'bound_value';
  /** What it looks like, for people; never the text itself. */
  readonly what: string;
  readonly start: number;
  readonly end: number;
}

interface Pattern {
  readonly kind: 'secret' | 'personal';
  readonly what: string;
  readonly pattern: RegExp;
  /** Keeps out what only looks like it. */
  readonly plausible?: (found: string) => boolean;
}

/** Each with one quantifier over one class at a time, so that no text makes the search slow. */
const patterns: readonly Pattern[] = [
  { kind: 'secret', what: 'a private key', pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g },
  { kind: 'secret', what: 'an age identity', pattern: /AGE-SECRET-KEY-1[0-9A-Z]{50,70}/g },
  { kind: 'secret', what: 'an access key of a cloud', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  {
    kind: 'secret',
    what: 'a token of a code host',
    pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{20,100})/g,
  },
  { kind: 'secret', what: 'a key of a language model', pattern: /\bsk-[A-Za-z0-9_-]{20,200}/g },
  { kind: 'secret', what: 'a key of a payment service', pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}/g },
  { kind: 'secret', what: 'a token of a chat service', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/g },
  { kind: 'secret', what: 'a secret of a webhook', pattern: /\bwhsec_[A-Za-z0-9_-]{16,200}/g },
  { kind: 'secret', what: 'a signed token', pattern: /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g },
  { kind: 'secret', what: 'a password in an address', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{1,100}:[^\s/:@"'<>]{1,200}@/gi },
  {
    kind: 'secret',
    what: 'a password, token or key after its name',
    pattern: /\b(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?[ \t]{0,5}[:=][ \t]{0,5}["']?([^\s"',;]{8,200})/gi,
    plausible: found => looksRandom(found),
  },
  {
    kind: 'personal',
    what: 'an e-mail address',
    pattern: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu,
    plausible: found => !/@(?:[^@]*\.)?(?:example(?:\.(?:com|org|net))?|invalid|test|localhost)$/i.test(found),
  },
  {
    kind: 'personal',
    what: 'a phone number',
    pattern: /(?<![\p{L}\p{N}./_-])\+?\(?\d{1,4}\)?(?:[ ./()-]{0,2}\d{1,4}){2,6}(?![\p{L}\p{N}_-])/gu,
    plausible: found => looksLikePhone(found),
  },
  {
    kind: 'personal',
    what: 'a bank account number',
    pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/g,
    plausible: found => validIban(found.replace(/ /g, '')),
  },
];

/**
 * Looks for secrets and personal data in a text, and for the values of resources that were bound here (§5.5). Finds what has a shape; what only a person
 * can recognise, a person must look for.
 *
 * @param bound Values that must not leave, such as a bucket, a phone number or a host of the seller.
 */
export const findPrivateText = (text: string, bound: readonly string[] = []): readonly PrivateText[] => {
  const found: PrivateText[] = [];
  for (const value of bound) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
      found.push({ kind: 'bound_value', what: 'the value of a resource that was bound here', start: at, end: at + value.length });
  }
  for (const { kind, what, pattern, plausible } of patterns) {
    for (const match of text.matchAll(pattern)) {
      const whole = match[0];
      if (plausible !== undefined && !plausible(match[1] ?? whole)) continue;
      found.push({ kind, what, start: match.index, end: match.index + whole.length });
    }
  }
  return withoutOverlaps(found.sort((a, b) => a.start - b.start || b.end - a.end));
};

const withoutOverlaps = (sorted: readonly PrivateText[]): readonly PrivateText[] => {
  let end = -1;
  return sorted.filter(each => {
    if (each.start < end) return false;
    end = each.end;
    return true;
  });
};

/** Placeholders and words are no secrets; letters and digits mixed, or very many kinds of characters, are. */
const looksRandom = (value: string): boolean => {
  if (/^(?:\{\{|<|\$|%|REQUIREMENT)/.test(value) || /^(?:x+|\*+|\.+|example|changeme|your[_-])/i.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= 8;
};

/** International, or written in groups; not a date, a version, an amount or an id. */
const looksLikePhone = (value: string): boolean => {
  const digits = value.replace(/\D/g, '');
  if (digits.length < 8 || digits.length > 15) return false;
  if (/^\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}/.test(value) || /^\d{1,2}[-./ ]\d{1,2}[-./ ]\d{4}/.test(value)) return false;
  if (/^[\d.]+$/.test(value) && value.includes('.')) return false;
  // Amounts are written in groups, too; without a code in front only dashes make a number to call.
  return value.startsWith('+') || (/^\(?0/.test(value) && /[ ()/-]/.test(value)) || /^\(?\d{3}\)?[ -]\d{3}-\d{4}$/.test(value);
};

const validIban = (value: string): boolean => {
  if (value.length < 15 || value.length > 34) return false;
  let rest = 0;
  for (const character of value.slice(4) + value.slice(0, 4)) {
    const part = /\d/.test(character) ? character : String(character.charCodeAt(0) - 55);
    rest = Number(`${rest}${part}`) % 97;
  }
  return rest === 1;
};
