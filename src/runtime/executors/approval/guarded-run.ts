import { hashContent, parseDocument } from '#document';
import type { Registry } from '#registry';
import { taintedRefusal } from '../../rights/tainted-refusal.ts';
import type { Execution, ExecutorDocument, RunVault } from '../executor.ts';
import type { ProposedWrite } from './approval.ts';

export type Write = Parameters<RunVault['submit']>[0];
type WriteAnswer =
  | Awaited<ReturnType<RunVault['submit']>>
  /** It waits for a person; the run may go on meanwhile. */
  | { readonly success: false; readonly code: 'waiting_for_human'; readonly message: string };

/** A run's vault that remembers what the run has read, and keeps from it what then needs a person (readings: rights of a run). */
export interface GuardedRun {
  /** The texts from outside that the run has read, each with its reason. */
  readonly sources: readonly string[];
  /** What waits for a person. */
  readonly setAside: readonly ProposedWrite[];
  /** The run has read text from outside. */
  taint(source: string): void;
  read(path: string): Promise<ExecutorDocument | null>;
  list: RunVault['list'];
  search: RunVault['search'];
  submit(write: Write): Promise<WriteAnswer>;
}

/** Room for what one person can be asked to read. */
const maxSetAside = { writes: 20, characters: 32 * 1024 };

export const guardRun = (execution: Execution, registry: Registry): GuardedRun => {
  const { vault } = execution;
  const sources: string[] = [];
  const setAside: ProposedWrite[] = [];
  /** What this run wrote while it had read nothing from outside: path → hash. */
  const ownClean = new Map<string, string>();
  const named = namedPaths(execution);
  const taint = (source: string): void => {
    if (sources.includes(source)) return;
    sources.push(source);
    execution.taint(source);
  };
  const taintBy = async (path: string): Promise<void> => {
    const own = ownClean.get(path);
    if (own !== undefined && (await vault.read(path))?.hash === own) return;
    const reason = await vault.outside(path);
    if (reason !== null) taint(`${path}: ${reason}`);
  };
  return {
    sources,
    setAside,
    taint,
    async read(path) {
      const document = await vault.read(path);
      if (document !== null && document.outside !== null && ownClean.get(path) !== document.hash) taint(`${path}: ${document.outside}`);
      return document;
    },
    // Titles and snippets are text of their documents.
    async list(options) {
      const rows = await vault.list(options);
      for (const { path } of rows) await taintBy(path);
      return rows;
    },
    async search(query, limit) {
      const hits = await vault.search(query, limit);
      for (const { path } of hits) await taintBy(path);
      return hits;
    },
    async submit(write) {
      if (sources.length > 0) {
        const stored = write.type === 'event' ? null : await vault.read(write.path);
        const why =
          taintedRefusal({ type: write.type, path: write.path, types: typesOf(write, stored, registry) }, named) ?? unseen(write, stored);
        if (why !== null) return putAside(setAside, { ...write, ...pinned(write, stored), why });
      }
      const answer = await vault.submit(write);
      if (answer.success && sources.length === 0 && write.type === 'operation' && write.content !== undefined) {
        ownClean.set(write.path, hashContent(write.content));
      }
      return answer;
    },
  };
};

/** Globs that a person wrote down: `x_writes` of the workflow and of the assistant, as far as a person wrote those last. */
const namedPaths = ({ workflow, assistant }: Execution): readonly string[] =>
  [workflow, assistant].flatMap(document => {
    if (document === null || document.outside !== null || !Object.hasOwn(document.data, 'x_writes')) return [];
    const given = document.data.x_writes;
    return (Array.isArray(given) ? given : [given]).filter((glob): glob is string => typeof glob === 'string');
  });

/** The types of the document as it is and as it would be. */
const typesOf = (write: Write, stored: ExecutorDocument | null, registry: Registry): readonly string[] => {
  const proposed = write.patches === undefined ? typeIn(write.content) : (write.patches.type ?? null);
  return [stored?.data.type ?? null, proposed]
    .filter((type): type is string => typeof type === 'string')
    .map(type => registry.resolve(type)?.qualified ?? type);
};

const typeIn = (content: string | undefined): unknown => {
  const parsed = content === undefined ? null : parseDocument(content);
  return parsed?.kind === 'document' ? (parsed.document.data.type ?? null) : null;
};

/** What cannot be looked at cannot be known to be harmless. */
const unseen = (write: Write, stored: ExecutorDocument | null): string | null =>
  stored === null && (write.type === 'patch' || write.type === 'delete') ? 'the run may not read what it would change' : null;

/** A person approves a change of the version that was there when they were asked. */
const pinned = (write: Write, stored: ExecutorDocument | null): Pick<Write, 'ifMatch'> =>
  write.type === 'event' || write.ifMatch !== undefined ? {} : { ifMatch: stored?.hash ?? null };

const putAside = (setAside: ProposedWrite[], { patches, ...write }: Write & { readonly why: string }): WriteAnswer => {
  const proposed: ProposedWrite = { ...write, ...(patches === undefined ? {} : { patches: { ...patches } }) };
  const size = JSON.stringify([...setAside, proposed]).length;
  if (setAside.length >= maxSetAside.writes || size > maxSetAside.characters) {
    return {
      success: false,
      code: 'forbidden',
      message: `This needs a person (${write.why}), and is more than one person is asked at once.`,
    };
  }
  setAside.push(proposed);
  return {
    success: false,
    code: 'waiting_for_human',
    message: `Set aside for a person to approve, because this run has read text from outside and ${write.why}. It is not written now; do not try again.`,
  };
};
