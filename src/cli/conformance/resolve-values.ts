import { isMap, type Json, type JsonMap } from './json.ts';

/** What values that are known only while a scenario runs are looked up in. */
export interface RunValues {
  /** Named answers (`as`) and remembered values. */
  readonly named: ReadonlyMap<string, Json>;
  /** The hash of the bytes stored at a path now. */
  hash(path: string): Promise<string>;
}

/**
 * Replaces `{"$ref": "name.member"}` by a part of an earlier answer, `{"$hash": "path"}` by the hash of what is stored there now, and
 * `{"$hash_in": "name"}` by the request hash an earlier refusal named.
 */
export const resolveValues = async (value: Json, values: RunValues): Promise<Json> => {
  if (Array.isArray(value)) return Promise.all(value.map((item: Json) => resolveValues(item, values)));
  if (!isMap(value)) return value;
  if (typeof value.$ref === 'string') return lookUp(value.$ref, values);
  if (typeof value.$hash === 'string') return values.hash(value.$hash);
  if (typeof value.$hash_in === 'string') return hashIn(lookUp(value.$hash_in, values));
  const entries = await Promise.all(Object.entries(value).map(async ([key, item]) => [key, await resolveValues(item, values)] as const));
  return Object.fromEntries(entries);
};

const lookUp = (reference: string, { named }: RunValues): Json => {
  const [name = '', ...members] = reference.split('.');
  let found: Json | undefined = named.get(name);
  for (const member of members) found = isMap(found ?? null) ? (found as JsonMap)[member] : undefined;
  if (found === undefined) throw new Error(`no earlier step gives '${reference}'`);
  return found;
};

const hashIn = (refusal: Json): string => {
  const hash = /sha256:[0-9a-f]{64}/.exec(JSON.stringify(refusal))?.[0];
  if (hash === undefined) throw new Error('the refusal names no request hash');
  return hash;
};
