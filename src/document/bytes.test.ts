import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, decodeUtf8, encodeUtf8, hashContent } from './index.ts';

const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return 'none';
};

describe('UTF-8', () => {
  test('text survives, byte order mark included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(decodeUtf8(encodeUtf8(text))).toBe(text);
      }),
    );
    expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  });

  const bad: [string, number[], number][] = [
    ['a lone continuation byte', [0x61, 0x80], 1],
    ['a cut sequence', [0x61, 0x62, 0xe2, 0x82], 2],
    ['an encoded surrogate', [0xc3, 0xa9, 0xed, 0xa0, 0x80], 2],
    ['a bad byte after a stored replacement character', [0xef, 0xbf, 0xbd, 0xff], 3],
    ['an overlong form', [0xc0, 0xaf], 0],
  ];
  test.each(bad)('%s is refused with its offset', (_name, bytes, offset) => {
    expect(code(() => decodeUtf8(Uint8Array.from(bytes)))).toMatch(new RegExp(`^internal_error: .* offset ${offset}\\.`));
  });

  test('a lone surrogate has no bytes', () => expect(code(() => encodeUtf8('a\ud800'))).toMatch(/^invalid_request/));
});

describe('content hashes', () => {
  test('a text and its bytes hash alike', () => {
    expect(hashContent('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(hashContent('é')).toBe(hashContent(Uint8Array.of(0xc3, 0xa9)));
  });
  test('a lone surrogate is not hashed as something else', () => expect(code(() => hashContent('\udc00'))).toMatch(/^invalid_request/));
});

describe('canonical JSON (RFC 8785)', () => {
  test('keys sort by UTF-16 code units', () => {
    expect(canonicalJson({ '\ufb33': 1, '\u{1f600}': 2, '\u20ac': 3, '1': 4, '\r': 5, '\u00f6': 6, '\u0080': 7 })).toBe(
      '{"\\r":5,"1":4,"\u0080":7,"\u00f6":6,"\u20ac":3,"\u{1f600}":2,"\ufb33":1}',
    );
  });
  test('numbers take their shortest form', () => {
    expect(canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0, 1e21, 5e-324])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,5e-324]',
    );
  });
  test('absent members are left out, `__proto__` is a member like any other', () => {
    expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
    expect(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"b":1}}');
  });
  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], ['\ud800'], [{ '\ud800': 1 }], [10n], [[undefined]], [new Date(0)], [() => 1]])(
    '%s is refused',
    value => {
      expect(code(() => canonicalJson(value))).toMatch(/^invalid_request/);
    },
  );
  test('endless nesting is refused, not a crash', () => {
    expect(code(() => canonicalJson(JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)))).toMatch(/^invalid_request/);
  });
  test('it is a JSON text of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
