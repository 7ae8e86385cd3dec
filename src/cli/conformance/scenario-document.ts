import { isMap, type Json, type JsonMap } from './json.ts';

/** The smallest valid document of each type, and the fields every document has: `minimal-documents.json`. */
export interface MinimalDocuments {
  readonly universal: JsonMap;
  readonly documents: Readonly<Record<string, JsonMap>>;
}

/** Builds the text that `{"$minimal": …}` and `{"$lines": …}` describe; null for any other value. */
export const documentText = (value: JsonMap, minimal: MinimalDocuments): string | null => {
  if (typeof value.$minimal === 'string') return encoded(value, minimalText(value.$minimal, value, minimal));
  if (Array.isArray(value.$lines)) return encoded(value, `${value.$lines.join('\n')}\n`);
  if (typeof value.$repeat === 'string') return value.$repeat.repeat(Number(value.times));
  return null;
};

const encoded = (value: JsonMap, text: string): string => {
  const lines = value.line_ending === 'crlf' ? text.replaceAll('\n', '\r\n') : text;
  return value.bom === true ? `\uFEFF${lines}` : lines;
};

const minimalText = (type: string, value: JsonMap, minimal: MinimalDocuments): string => {
  const base = minimal.documents[type];
  if (base === undefined) throw new Error(`minimal-documents.json has no '${type}'`);
  const set = isMap(value.set) ? value.set : {};
  const drop = Array.isArray(value.drop) ? value.drop : [];
  const data = Object.entries({ ...base, ...minimal.universal, ...set }).filter(([key]) => !drop.includes(key));
  const body = typeof value.body === 'string' ? value.body : 'Body.\n';
  return `---\n${data.map(([key, field]) => entry(key, field, '')).join('\n')}\n---\n${body}`;
};

// Only forms every conformant parser reads (§4.5): no flow maps.
const entry = (key: string, value: Json, indent: string): string => {
  const head = `${indent}${/^[A-Za-z_][\w.-]*$/.test(key) ? key : JSON.stringify(key)}:`;
  if (isMap(value) && Object.keys(value).length > 0) return [head, ...mapLines(value, `${indent}  `)].join('\n');
  if (Array.isArray(value) && value.some(isMap)) return [head, ...value.map(item => listItem(item, `${indent}  `))].join('\n');
  return `${head} ${inline(value)}`;
};

const mapLines = (value: JsonMap, indent: string): string[] => Object.entries(value).map(([key, field]) => entry(key, field, indent));

const listItem = (item: Json, indent: string): string =>
  isMap(item) && Object.keys(item).length > 0
    ? mapLines(item, `${indent}  `).join('\n').replace(`${indent}  `, `${indent}- `)
    : `${indent}- ${inline(item)}`;

const inline = (value: Json): string => (Array.isArray(value) ? `[${value.map(inline).join(', ')}]` : JSON.stringify(value));
