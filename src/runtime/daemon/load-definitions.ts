import type Database from 'better-sqlite3';
import { readData } from '../records/work-projection.ts';
import type { Claim } from '../triggers/find-owner.ts';
import { readTriggers } from '../triggers/read-triggers.ts';
import type { RuntimeDocument, Trigger, TriggerFault, Workflow } from '../triggers/trigger.ts';
import { changesOf, type DefinitionChange } from './definition-changes.ts';
import { createEnablingFinder, type Enabling } from './enabled-since.ts';
import type { RuntimeHost } from './runtime-host.ts';

/** A trigger that may fire, and from when on it counts. */
export interface ActiveTrigger {
  readonly trigger: Trigger;
  readonly enabled: Enabling;
}

/** What may fire in a vault, as the log has it. */
export interface Definitions {
  /** Another value means that a workflow, trigger or assistant changed. */
  readonly stamp: string;
  /** The last change of a workflow or trigger that it takes in, as `DefinitionChange.place` counts them. */
  readonly place: number;
  readonly workflows: readonly Workflow[];
  /** All of them, also those that are not active. */
  readonly triggers: readonly Trigger[];
  readonly active: readonly ActiveTrigger[];
  readonly faults: readonly TriggerFault[];
  readonly claims: readonly Claim[];
}

/** Changes whenever the definitions may have changed, also with a database that was made anew. */
export const definitionsStamp = (db: Database.Database): string => {
  const { build, definitions } = db.prepare('SELECT build, definitions FROM work_state').get() as { build: string; definitions: number };
  return `${build}-${definitions}-${lastPlace(db)}`;
};

const lastPlace = (db: Database.Database): number =>
  (db.prepare('SELECT coalesce(max(place), 0) AS place FROM runtime_changes').get() as { place: number }).place;

/**
 * Reads every workflow and trigger. Only what the log recorded counts: a document that was written or changed by hand fires nothing until somebody
 * adopts it, because whose work it is decides what it may do; it is a fault until then.
 */
export const loadDefinitions = async (host: RuntimeHost): Promise<Definitions> => {
  const { stamp, place, rows, changes } = await host.projections.read(db => ({
    stamp: definitionsStamp(db),
    place: lastPlace(db),
    rows: db.prepare('SELECT path, hash, type, data FROM work_definitions ORDER BY path').all() as DefinitionRow[],
    changes: allChanges(db),
  }));
  const faults: TriggerFault[] = [];
  const documents = rows.map(({ path, hash, type, data }) => ({ type, document: { path, hash, data: readData(data) } }));
  const recorded = (type: string): readonly RuntimeDocument[] =>
    documents
      .filter(each => each.type === type)
      .map(each => each.document)
      .filter(document => {
        if (changes.get(document.path)?.[0]?.after_hash === document.hash) return true;
        faults.push({ path: document.path, triggerId: null, field: 'document', reason: notRecorded(document.path) });
        return false;
      });
  const { workflows, triggers, faults: found } = readTriggers({ workflows: recorded('workflow'), triggers: recorded('trigger') });
  const find = createEnablingFinder({
    changes: path => changes.get(path) ?? [],
    content: hash => host.contents.find(hash),
    current: new Map(documents.map(({ document }) => [document.hash, document.data])),
  });
  const active: ActiveTrigger[] = [];
  for (const trigger of triggers) {
    const enabled = trigger.active ? await find(trigger) : null;
    if (enabled !== null) active.push({ trigger, enabled });
  }
  const claims = documents.filter(each => each.type === 'assistant').map(({ document }) => claimOf(document));
  return { stamp, place, workflows, triggers, active, faults: [...faults, ...found], claims };
};

interface DefinitionRow {
  readonly path: string;
  readonly hash: string;
  readonly type: string;
  readonly data: string;
}

const notRecorded = (path: string): string =>
  `the document was written or changed by hand and is not in the log yet, so it fires nothing: look at it, then \`sheaf adopt ${path}\``;

const allChanges = (db: Database.Database): ReadonlyMap<string, readonly DefinitionChange[]> => {
  const paths = db.prepare('SELECT DISTINCT path FROM runtime_changes').all() as { path: string }[];
  return new Map(paths.map(({ path }) => [path, changesOf(db, path)]));
};

const claimOf = ({ path, data }: RuntimeDocument): Claim => {
  const owns = data['owns'];
  const globs = Array.isArray(owns) ? owns : [owns];
  return { assistant: path, owns: globs.filter((glob): glob is string => typeof glob === 'string' && glob !== '') };
};
