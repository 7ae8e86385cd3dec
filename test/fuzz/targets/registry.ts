import type { Random } from '#adapter-contracts/testing';
import { composeRegistry, isRegistryError, parseExtension, type Registry, registryLock, verifyRegistryLock } from '#registry';
import { chance } from '../engine/choose.ts';
import { expand, type Grammar } from '../engine/grammar.ts';
import { type FuzzTarget, law, outcome } from '../engine/target.ts';
import { jsonGrammar, jsonTokens } from './json-grammar.ts';

/** Extension files: mostly whole, with a slip here and there. */
const grammar: Grammar = {
  ...jsonGrammar,
  file: [
    '{"registry":"acme","version":"1.0.0","primitives":{<types>}}',
    '{"registry":<id>,"version":<version>,"primitives":{<types>}<extra>}',
    '{"registry":<id>,"version":<version>,"primitives":{<types>}<extra><extra>}',
    '<json>',
  ],
  extra: [
    '',
    ',"requires":{<id>:<range>}',
    ',"aliases":{<name>:<name>}',
    ',"aliases":{<name>:"booking"}',
    ',"requires":<value>',
    ',"aliases":<value>',
    ',<member>',
  ],
  id: ['"acme"', '"beta"', '"ssss"', '"Acme"', '""', '"__proto__"', '"constructor"', '<value>'],
  version: ['"1.0.0"', '"2.1.3"', '"1.0.0-rc.1"', '"1.0"', '"v1.0.0"', '<value>'],
  range: ['"^1.0.0"', '"*"', '">=9"', '"x y"', '"0.9.x"', '<value>'],
  types: ['"booking":{<entry>}', '"booking":{<entry>},<name>:{<entry>}', '<name>:{<entry>}', ''],
  name: [
    '"booking"',
    '"room"',
    '"b"',
    '"rule"',
    '"operation"',
    '"Booking"',
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"a:b"',
    '""',
    '"x_y-z"',
  ],
  entry: [
    '"portability":"structural"',
    '"portability":<class>,<rule>',
    '"portability":<class>,<rule>,<rule>',
    '"portability":"structural",<rule>,<rule>,<rule>',
    '<rule>',
  ],
  class: ['"structural"', '"tenant_private"', '"resource_bound"', '"none"', '<value>'],
  rule: [
    '"family":<text>',
    '"version":<number>',
    '"append_only":true',
    '"required_fields":[<fields>]',
    '"optional_fields":[<fields>]',
    '"allow_empty":[<fields>]',
    '"required_when":{<condition>:[<fields>]}',
    '"enums":{<field>:[<items>]}',
    '"enums_when":{<condition>:{<field>:[<items>]}}',
    '"patterns":{<field>:<pattern>}',
    '"immutable_fields":[<fields>]',
    '"references":{<field>:{<reference>}}',
    '"capabilities":{<action>:[<capability>]}',
    '"resource":{"binds":[<fields>]}',
    '"lease_required":<value>',
    '"canonical_filename":<text>',
    '<member>',
  ],
  fields: ['<field>', '<field>,<field>', ''],
  field: ['"name"', '"status"', '"__proto__"', '"constructor"', '"__body__"', '""', '"a b"', '"\\u0000"', '<value>'],
  condition: ['"status==open"', '"a==b==c"', '"a"', '"=="', '"__proto__==1"', '""'],
  pattern: [
    '"^a$"',
    '"^[\\\\p{L} ]+$"',
    '"(a+)+$"',
    '"(?=a)"',
    '"\\\\1"',
    '"["',
    '"\\\\p{Script=Greek}"',
    '"\\\\p{Nope}"',
    '"[\\\\s\\\\S]"',
    '"a{1,1000}"',
    '"(?<G>a)\\\\k<G>"',
    '"\\\\ud83d\\\\ude00"',
    '"[a-\\\\d]"',
    '"\\\\cA"',
    '"(?i:a)"',
    '"[[:alpha:]]"',
    '"\\\\Q"',
    '"a{,2}"',
    '"\\\\b\\\\B"',
    '"[^]"',
    '"[]"',
    '"\\\\u{1F600}"',
    '"x*y*z*"',
    '<text>',
  ],
  reference: [
    '"must_exist":true',
    '"allowed_types":["rule"]',
    '"allowed_types":["booking"],"disallowed_types":["nope"]',
    '"allowed_portability":[<class>]',
    '"hash_field":<field>',
    '<member>',
  ],
  action: ['"create"', '"delete"', '"__proto__"', '"x"'],
  capability: ['"acme:booking:create"', '"write:event"', '"x"', '"*:*"', '<value>'],
};

// A second file of the composition follows this line.
const separator = '\n%%file\n';

export interface RegistryReader {
  readonly parseExtension: typeof parseExtension;
  readonly composeRegistry: typeof composeRegistry;
}

export const registryReader: RegistryReader = { parseExtension, composeRegistry };

const checkIssues = (text: string, issues: readonly { field: string; issue: string; line?: number; column?: number }[]): void => {
  law(issues.length > 0, 'an unusable file has an issue');
  const lines = text.replace(/^\ufeff/, '').split('\n');
  for (const { field, issue, line, column } of issues) {
    law(field !== '' && issue !== '', 'an issue names its key', { field, issue });
    law(line === undefined || (line >= 1 && line <= lines.length), 'an issue has a line of the file', { issue, line });
    law(column === undefined || (column >= 1 && column <= (lines[(line ?? 1) - 1]?.length ?? 0) + 1), 'an issue has a column of its line', {
      issue,
      column,
    });
  }
};

const codes = ['registry_invalid', 'registry_collision', 'registry_requirement'];

/** Every pattern compiles, and answers in linear time for a text that a backtracking engine would choke on. */
const checkPatterns = (registry: Registry): void => {
  for (const definition of registry.documentTypes) {
    if (definition.namespace === 'ssss') continue;
    for (const field of Object.keys(definition.patterns)) {
      const matcher = registry.patternMatcher(definition, field);
      law(
        matcher !== null && typeof matcher(`${'a'.repeat(40)}!`) === 'boolean',
        'a pattern that was accepted answers',
        definition.patterns[field],
      );
    }
  }
};

const digestOrCode = (reader: RegistryReader, texts: readonly string[]): string => {
  const composed = outcome(() =>
    reader.composeRegistry({ extensions: texts.map((text, index) => reader.parseExtension(text, `${index}.json`)) }),
  );
  if ('value' in composed) return composed.value.digest;
  return isRegistryError(composed.thrown) ? composed.thrown.code : String(composed.thrown);
};

/** Extension files and their composition: usable, or refused with the file and the place. */
export const createRegistryTarget = (reader: RegistryReader = registryReader): FuzzTarget => ({
  name: 'registry',
  generate: (random: Random) => {
    const first = expand(grammar, 'file', random, 6);
    return chance(random, 0.3) ? first + separator + expand(grammar, 'file', random, 6) : first;
  },
  tokens: [
    ...jsonTokens,
    separator,
    '"patterns":{"a":"',
    '"portability":"structural"',
    '"requires":{"acme":"*"}',
    '"registry":"beta"',
    '\\\\p{',
    '(?',
    '"booking":{',
    '"portability":"structural",',
  ],
  executions: 1500,
  guidedBy: /\/src\/registry\/(?!.*\.test\.)/,
  check(input) {
    const texts = input.toString('utf8').split(separator);
    for (const text of texts) {
      const parsed = outcome(() => reader.parseExtension(text, 'x.json'));
      if ('value' in parsed) continue;
      law(isRegistryError(parsed.thrown) && parsed.thrown.code === 'registry_invalid', 'a file is refused as one', String(parsed.thrown));
      law(parsed.thrown.message.startsWith('x.json'), 'a refusal names the file', parsed.thrown.message);
      return checkIssues(text, parsed.thrown.details.issues);
    }
    const extensions = texts.map((text, index) => reader.parseExtension(text, `${index}.json`));
    const composed = outcome(() => reader.composeRegistry({ extensions }));
    if ('thrown' in composed) {
      law(
        isRegistryError(composed.thrown) && codes.includes(composed.thrown.code),
        'a composition is refused as one',
        String(composed.thrown),
      );
    } else {
      const registry = composed.value;
      for (const definition of registry.documentTypes)
        law(registry.resolve(definition.qualified) === definition, 'a type is found by its name', definition.qualified);
      const declared = new Set(
        extensions.flatMap(({ definitions, aliases }) => [...definitions.map(({ type }) => type), ...Object.keys(aliases)]),
      );
      for (const name of ['__proto__', 'constructor', 'toString'])
        law(declared.has(name) || registry.resolve(name) === null, 'no type comes from a prototype', name);
      law(
        !('thrown' in outcome(() => verifyRegistryLock(registry, registryLock(registry)))),
        'a registry keeps the lock that is made of it',
      );
      checkPatterns(registry);
    }
    const answer = digestOrCode(reader, texts);
    law(digestOrCode(reader, texts) === answer, 'composing twice gives the same');
    law(
      digestOrCode(reader, texts.toReversed()) === answer || !answer.startsWith('sha256:'),
      'the order of the files does not matter',
      answer,
    );
  },
});
