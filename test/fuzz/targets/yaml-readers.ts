import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import { isAlias, isMap, isScalar, isSeq, type ParsedNode, parseDocument, Scalar } from 'yaml';

/** What a YAML reader makes of a block: its values typed by the rules of the frontmatter subset, or why it has none. */
export type YamlReading = { readonly data: unknown } | { readonly refused: string };

/**
 * The type an unquoted text has in the subset (§4.5), written anew from the rules so that a slip in the parser shows: lower case only,
 * and whatever a number would lose stays a text.
 */
export const typed = (text: string): unknown => {
  if (text === '' || text === '~' || text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  const whole = /^-?(?:0|[1-9][0-9]*)$/.test(text);
  if (!whole && !/^-?[0-9]*[.][0-9]+$/.test(text)) return text;
  const number = Number(text);
  if (whole ? !Number.isSafeInteger(number) : !Number.isFinite(number)) return text;
  return Object.is(number, -0) ? 0 : number;
};

class Refused extends Error {}

const refuse = (why: string): never => {
  throw new Refused(why);
};

const toValue = (node: ParsedNode | null | undefined): unknown => {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return refuse('alias');
  if (node.anchor !== undefined) return refuse('anchor');
  if (node.tag !== undefined) return refuse('tag');
  if (isScalar(node)) return node.type === Scalar.PLAIN ? typed(node.source ?? '') : node.source;
  if (isSeq(node)) return node.items.map(item => ('key' in (item as object) ? refuse('pair in a list') : toValue(item as ParsedNode)));
  if (!isMap(node)) return refuse('unknown node');
  const map = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of node.items) {
    if (!isScalar(key)) return refuse('key that is no text');
    if (key.anchor !== undefined || key.tag !== undefined) return refuse('anchor or tag');
    const name = String(key.source ?? '');
    if (Object.hasOwn(map, name)) return refuse('duplicate key');
    map[name] = toValue(value as ParsedNode | null);
  }
  return map;
};

/** Reads a block with `yaml`: the syntax is that reader's, the types are ours. */
export const readWithYaml = (block: string): YamlReading => {
  const document = parseDocument(block, { version: '1.2', schema: 'failsafe', strict: true, uniqueKeys: true, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) return { refused: `${error.code}: ${error.message.split('\n')[0]}` };
  try {
    const root = document.contents as ParsedNode | null;
    if (root !== null && !isMap(root))
      return isScalar(root) && root.source === '' && root.tag === undefined ? { data: {} } : { refused: 'not a map' };
    return { data: root === null ? {} : toValue(root) };
  } catch (problem) {
    if (problem instanceof Refused) return { refused: problem.message };
    throw problem;
  }
};

/** Reads a block with `js-yaml`, every scalar as text: that reader does not tell quoted from unquoted. */
export const readWithJsYaml = (block: string): YamlReading => {
  try {
    const data: unknown = load(block, { schema: FAILSAFE_SCHEMA });
    return { data: data ?? {} };
  } catch (error) {
    return { refused: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
};
