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
    const declared = isDeclared(field, definition);
    visitTexts(field, data[field] ?? null, text => {
      const path = pathOf(text, declared);
      if (path !== null) found.push({ field, path, declared });
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
    const before = data[field] ?? null;
    const declared = isDeclared(field, definition);
    let changed = false;
    const after = mapTexts(field, before, text => {
      const path = pathOf(text, declared);
      const target = path === null ? null : moved(path);
      if (path === null || target === null) return text;
      changed = true;
      const start = text.indexOf(path);
      return text.slice(0, start) + target + text.slice(start + path.length);
    });
    if (changed) patches[field] = after;
  }
  return patches;
};

const isDeclared = (field: string, definition: Definition | null): boolean =>
  knownFields.has(field) || (definition !== null && Object.hasOwn(definition.references, field));

const pathOf = (text: string, declared: boolean): string | null => {
  const path = /^\/?((?!\/)[^#\s][^#]*\.md)(?:#[^#]*)?$/.exec(text)?.[1] ?? null;
  // A bare `plan.md` in a field of somebody's own may be anything; with a folder it is a path of this vault.
  return path === null || path.includes('//') || (!declared && !path.includes('/')) ? null : path;
};

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
