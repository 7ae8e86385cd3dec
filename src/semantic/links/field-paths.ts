import { emptyMap, type FrontmatterMap, isMap, type Value } from '#document';
import type { Definition } from '#registry';

/** A document's path that stands in frontmatter (readings: links between documents). */
export interface FieldPath {
  /** The top-level key. */
  readonly field: string;
  /** The path without a leading `/` and without an anchor. */
  readonly path: string;
  /** Whether the type says that this field names documents, so that a missing one is a fault. */
  readonly declared: boolean;
}

/** Prose and identities, which may look like a path and mean none. */
const neverPaths = new Set(['type', 'title', 'description', 'slug', 'name', 'aliases', 'tags', 'timestamp', 'semantic_id', 'feedback']);

/** Fields of the standard that hold document paths without a rule in the registry (§5.4, §11.8). */
const knownFields = new Set(['relations', 'workflow_path', 'target_workflow', 'task_path', 'run_path', 'resource_ref']);

/** The paths in `relations`, in reference fields, and in any other value that is exactly the path of a `.md` file in a folder. */
export const pathsInFields = (data: FrontmatterMap, definition: Definition | null): readonly FieldPath[] => {
  const found: FieldPath[] = [];
  for (const field of Object.keys(data)) {
    visitTexts(field, data[field] ?? null, text => {
      const place = placeIn(text, field, definition);
      if (place !== null) found.push({ field, path: place.path, declared: place.declared });
    });
  }
  return found;
};

/** The values of the fields whose paths change, ready for a patch; `moved` gives a path's new one, or null. */
export const movedFields = (
  data: FrontmatterMap,
  definition: Definition | null,
  moved: (path: string) => string | null,
): Readonly<Record<string, Value>> => {
  const patches = emptyMap();
  for (const field of Object.keys(data)) {
    let changed = false;
    const after = mapTexts(field, data[field] ?? null, text => {
      const place = placeIn(text, field, definition);
      const target = place === null ? null : moved(place.path);
      if (place === null || target === null) return text;
      changed = true;
      return text.slice(0, place.start) + (place.ending ? target : target.replace(/\.md$/, '')) + text.slice(place.end);
    });
    if (changed) patches[field] = after;
  }
  return patches;
};

interface PathPlace {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  /** Whether it is written with `.md`. */
  readonly ending: boolean;
  readonly declared: boolean;
}

/** The path that a text of a field is: bare, from the root, with an anchor; in `relations` also without `.md` and as a wiki link. */
const placeIn = (text: string, field: string, definition: Definition | null): PathPlace | null => {
  const match = /^(\[\[)?(\/?)((?!\/)[^#|[\]\s][^#|[\]]*)(?:[#|][^[\]]*)?(\]\])?$/.exec(text);
  if (match === null || (match[1] === undefined) !== (match[4] === undefined)) return null;
  const written = match[3] ?? '';
  const ending = written.endsWith('.md');
  const isRelation = field === 'relations';
  if (written.includes('//') || (!isRelation && (!ending || match[1] !== undefined))) return null;
  const declared = ending && isDeclared(field, definition);
  // A bare `plan.md` in a field of somebody's own may be anything; with a folder it is a path of this vault.
  if (!declared && !written.includes('/')) return null;
  const start = (match[1] ?? '').length + (match[2] ?? '').length;
  return { path: ending ? written : `${written}.md`, start, end: start + written.length, ending, declared };
};

const isDeclared = (field: string, definition: Definition | null): boolean =>
  knownFields.has(field) || (definition !== null && Object.hasOwn(definition.references, field));

const visitTexts = (key: string, value: Value, visit: (text: string) => void): void => {
  mapTexts(key, value, text => {
    visit(text);
    return text;
  });
};

const mapTexts = (key: string, value: Value, change: (text: string) => string): Value => {
  if (neverPaths.has(key)) return value;
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map(item => mapTexts('', item, change));
  if (!isMap(value)) return value;
  const map = emptyMap();
  for (const [name, member] of Object.entries(value as FrontmatterMap)) map[name] = mapTexts(name, member, change);
  return map;
};
