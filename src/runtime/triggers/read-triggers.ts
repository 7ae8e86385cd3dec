import { emptyMap, type FrontmatterMap, isMap, type Value } from '#document';
import { EntryError, readEntry } from './read-entry.ts';
import type { RuntimeDocument, Trigger, TriggerFault, Workflow } from './trigger.ts';

/** Every workflow and trigger of a vault that can fire, and what keeps the others from it. */
export interface Triggers {
  /** Sorted by path. */
  readonly workflows: readonly Workflow[];
  /** Sorted by workflow and id; among them those that are not active now. */
  readonly triggers: readonly Trigger[];
  readonly faults: readonly TriggerFault[];
}

/**
 * Reads `workflow` documents with their `triggers[]`, and standalone `trigger` documents (§5.4, §11.8; readings: triggers). Pure; the order of the
 * documents does not matter. Two workflows or two triggers of a workflow that share an id are both at fault: their work could not be told apart.
 */
export const readTriggers = (input: {
  readonly workflows: readonly RuntimeDocument[];
  readonly triggers: readonly RuntimeDocument[];
}): Triggers => {
  const faults: TriggerFault[] = [];
  const documents = byPath(input.workflows);
  const workflows = withoutTwins(
    documents.map(readWorkflow),
    workflow => workflow.id,
    (workflow, twins) =>
      faults.push({
        path: workflow.path,
        triggerId: null,
        field: 'workflow_id',
        reason: sharedId('workflow', workflow.id, twins, each => each.path),
      }),
  );
  const known = new Map(workflows.map(workflow => [workflow.path, workflow]));
  const found: Trigger[] = [];
  for (const document of documents) {
    const workflow = known.get(document.path);
    if (workflow !== undefined) found.push(...embedded(document, workflow, faults));
  }
  for (const document of byPath(input.triggers)) found.push(...standalone(document, workflows, faults));
  const triggers = withoutTwins(
    found,
    trigger => JSON.stringify([trigger.workflow.id, trigger.id]),
    (trigger, twins) =>
      faults.push({
        path: trigger.path,
        triggerId: trigger.id,
        field: 'id',
        reason: sharedId(`trigger of '${trigger.workflow.id}'`, trigger.id, twins, each => each.path),
      }),
  );
  return { workflows, triggers: triggers.toSorted(byWorkflowAndId), faults };
};

export const readWorkflow = ({ path, hash, data }: RuntimeDocument): Workflow => ({
  id: named(data['workflow_id']) ?? named(data['slug']) ?? path,
  path,
  hash,
  title: named(data['title']) ?? named(data['name']) ?? path,
  priority: typeof data['priority'] === 'number' && Number.isInteger(data['priority']) ? data['priority'] : defaultPriority,
  active: data['isActive'] !== false,
  handsOn: handedOn(data),
});

const handedOn = (data: FrontmatterMap): FrontmatterMap => {
  const members = emptyMap();
  for (const name of ['x_executor', 'x_assistant', 'x_max_attempts']) if (data[name] !== undefined) members[name] = data[name];
  return members;
};

const defaultPriority = 50;

const embedded = ({ path, data }: RuntimeDocument, workflow: Workflow, faults: TriggerFault[]): readonly Trigger[] => {
  const entries = data['triggers'] ?? [];
  if (!Array.isArray(entries)) {
    faults.push({ path, triggerId: null, field: 'triggers', reason: 'triggers is a list' });
    return [];
  }
  return entries.flatMap((entry: Value, index): readonly Trigger[] => {
    const place = `triggers[${index}]`;
    if (!isMap(entry)) {
      faults.push({ path, triggerId: null, field: place, reason: 'a trigger is a map with type and id' });
      return [];
    }
    const id = entryId(entry);
    const active = workflow.active && (entry['status'] ?? 'active') === 'active';
    return reading({ path, triggerId: id, field: member => `${place}.${member}` }, faults, () => {
      if (id === null) throw new EntryError('id', 'the trigger needs an id');
      return { id, workflow, path, active, params: null, ...readEntry(entry['type'] ?? null, entry, data) };
    });
  });
};

const standalone = ({ path, data }: RuntimeDocument, workflows: readonly Workflow[], faults: TriggerFault[]): readonly Trigger[] => {
  const id = named(data['slug']) ?? stem(path);
  return reading({ path, triggerId: id, field: member => (member === 'type' ? 'source' : member) }, faults, () => {
    const workflow = targetOf(data['target_workflow'], workflows);
    const active = workflow.active && data['status'] === 'active';
    return { id, workflow, path, active, params: data['target_params'] ?? null, ...readEntry(data['source'] ?? null, data, emptyMap()) };
  });
};

const targetOf = (target: Value | undefined, workflows: readonly Workflow[]): Workflow => {
  const name = named(target);
  if (name === null) throw new EntryError('target_workflow', 'target_workflow names the workflow that the trigger fires');
  const path = name.replace(/^\//, '');
  const found = workflows.find(workflow => workflow.path === path) ?? workflows.find(workflow => workflow.id === name);
  if (found !== undefined) return found;
  throw new EntryError('target_workflow', `there is no workflow '${name}' that can fire`);
};

const reading = (
  place: { readonly path: string; readonly triggerId: string | null; field(member: string): string },
  faults: TriggerFault[],
  read: () => Trigger,
): readonly Trigger[] => {
  try {
    return [read()];
  } catch (error) {
    if (!(error instanceof EntryError)) throw error;
    faults.push({ path: place.path, triggerId: place.triggerId, field: place.field(error.field), reason: error.message });
    return [];
  }
};

/** `id`, else `trigger_id`, else `name`, else what selects. */
export const entryId = (entry: FrontmatterMap): string | null =>
  ['id', 'trigger_id', 'name', 'cron', 'interval', 'event_type', 'event_subject', 'x_when', 'type']
    .map(key => named(entry[key]))
    .find(name => name !== null) ?? null;

const named = (value: Value | undefined): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

const stem = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');

/** Those whose key nobody shares; each of the others is told with all of its namesakes. */
const withoutTwins = <T>(items: readonly T[], keyOf: (item: T) => string, tell: (item: T, twins: readonly T[]) => void): readonly T[] => {
  const groups = grouped(items, keyOf);
  return items.filter(item => {
    const twins = groups.get(keyOf(item)) ?? [];
    if (twins.length > 1) tell(item, twins);
    return twins.length === 1;
  });
};

const grouped = <T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
};

const sharedId = <T>(what: string, id: string, twins: readonly T[], pathOf: (twin: T) => string): string =>
  `${twins.length} definitions share the id '${id}' of a ${what} (${[...new Set(twins.map(pathOf))].join(', ')}): none of them fires`;

const byPath = (documents: readonly RuntimeDocument[]): readonly RuntimeDocument[] =>
  documents.toSorted((a, b) => (a.path < b.path ? -1 : 1));

const byWorkflowAndId = (a: Trigger, b: Trigger): number =>
  a.workflow.id < b.workflow.id || (a.workflow.id === b.workflow.id && a.id < b.id) ? -1 : 1;
