import { canonicalJson, decodeUtf8, type FrontmatterMap, isMap, parseDocument, type Value } from '#document';
import { entryId, readWorkflow } from '../triggers/read-triggers.ts';
import type { Trigger } from '../triggers/trigger.ts';
import type { DefinitionChange } from './definition-changes.ts';

/** The event from which on a trigger counts as it stands now (readings: what enables a trigger). */
export interface Enabling {
  readonly eventId: string;
  /** In the order of `DefinitionChange`. */
  readonly place: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface EnablingSource {
  /** Newest first. */
  changes(path: string): readonly DefinitionChange[];
  /** A past content, or null when it is kept no more. */
  content(hash: string): Promise<Uint8Array | null>;
  /** Frontmatter of the documents as they stand, by content hash. */
  readonly current: ReadonlyMap<string, FrontmatterMap>;
}

/** Reads what one document says about a trigger, as a text that is equal as long as the trigger is the same; null = it does not say it. */
type Saying = (data: FrontmatterMap) => string | null;

/**
 * Finds the event that created the trigger as it is now: the one that made its document, changed its entry, or switched it or its workflow on. Changes
 * that leave it as it was do not count. Where a past content that would show this is kept no more, the change counts: nothing is due from a time
 * for which nobody can tell what was asked. Null when the log does not hold the documents.
 */
export const createEnablingFinder = (source: EnablingSource): ((trigger: Trigger) => Promise<Enabling | null>) => {
  const parsed = new Map<string, FrontmatterMap | null>(source.current);
  const dataOf = async (hash: string): Promise<FrontmatterMap | null> => {
    const known = parsed.get(hash);
    if (known !== undefined) return known;
    const data = frontmatterOf(await source.content(hash));
    parsed.set(hash, data);
    return data;
  };
  const lastChange = async (path: string, keys: ReadonlySet<string>, saying: Saying): Promise<Enabling | null> => {
    const changes = source.changes(path);
    const [head] = changes;
    if (head === undefined) return null;
    let now: string | null | undefined;
    for (const change of changes) {
      if (change.fields !== null && !change.fields.some(field => keys.has(field))) continue;
      if (change.before_hash === null || change.after_hash === null) return enabling(change);
      now ??= await said(head.after_hash, saying);
      const before = await said(change.before_hash, saying);
      if (before === undefined || before !== now) return enabling(change);
    }
    return enabling(changes.at(-1)!);
  };
  /** Undefined when the content is not kept. */
  const said = async (hash: string | null, saying: Saying): Promise<string | null | undefined> => {
    const data = hash === null ? null : await dataOf(hash);
    return data === null ? undefined : saying(data);
  };
  return async trigger => {
    const { path, workflow } = trigger;
    if (path === workflow.path) {
      return lastChange(path, workflowKeys, data => {
        const { id, active } = readWorkflow({ path, hash: '', data });
        return active ? canonicalJson([id, entryOf(data, trigger.id)]) : null;
      });
    }
    const own = await lastChange(path, triggerKeys, data => canonicalJson([...triggerKeys].map(key => data[key] ?? null)));
    const activation = await lastChange(workflow.path, new Set(['isActive', 'workflow_id', 'slug']), data => {
      const { id, active } = readWorkflow({ path: workflow.path, hash: '', data });
      return canonicalJson([id, active]);
    });
    if (own === null || activation === null) return null;
    return own.place > activation.place ? own : activation;
  };
};

const workflowKeys: ReadonlySet<string> = new Set(['triggers', 'isActive', 'workflow_id', 'slug']);

/** What of a `trigger` document says when and what it fires. */
const triggerKeys: ReadonlySet<string> = new Set([
  'slug',
  'source',
  'status',
  'cron',
  'interval',
  'timezone',
  'x_anchor',
  'event_type',
  'event_subject',
  'event_match',
  'x_when',
  'misfire_policy',
  'concurrency',
  'x_misfire_grace',
  'target_workflow',
  'target_params',
]);

const entryOf = (data: FrontmatterMap, id: string): Value => {
  const entries = data['triggers'];
  if (!Array.isArray(entries)) return null;
  return (entries as readonly Value[]).find(entry => isMap(entry) && entryId(entry) === id) ?? null;
};

const enabling = ({ event_id: eventId, place, timestamp }: DefinitionChange): Enabling => ({ eventId, place, at: Date.parse(timestamp) });

const frontmatterOf = (bytes: Uint8Array | null): FrontmatterMap | null => {
  if (bytes === null) return null;
  try {
    const file = parseDocument(decodeUtf8(bytes));
    return file.kind === 'document' ? file.document.data : null;
  } catch {
    return null;
  }
};
