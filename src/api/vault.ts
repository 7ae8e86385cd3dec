import type { CanonicalEvent, LeaseStore, Principal, RecoveryReport, Replayed } from '#adapter-contracts';
import type { FieldIssue } from '#errors';
import type { PrincipalRegistry, RecoveryNote } from '#identity';
import type { ExecuteContext, KernelResponse } from '#kernel';
import type { CausalTree, DriftRow, FileAccount, ReportKind } from '#projections';
import type { Registry } from '#registry';
import type { RuntimeRow } from '#runtime';
import type { Embeddings } from '#semantic';
import type { AdoptionResult } from './adoption-result.ts';
import type { VaultHistory } from './history/vault-history.ts';
import type { VaultIndex } from './index/vault-index.ts';
import type { VaultLinks } from './links/vault-links.ts';
import type { VaultMachine } from './machine/vault-machine.ts';
import type { VaultMemory } from './memory/vault-memory.ts';
import type { VaultRendering } from './rendering/vault-rendering.ts';
import type { GraphOptions, GraphReply, SearchOptions, SearchReply } from './search/vault-search.ts';
import type { VaultWatch, WatchOptions, WatchState } from './watching/vault-watch.ts';
import type { VaultHooks } from './webhooks/vault-hooks.ts';
import type { VaultWork } from './work/vault-work.ts';

/** A stored file, read. */
export interface VaultDocument {
  readonly path: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** `document` has frontmatter, `ordinary` has none, `invalid` has a block that is refused. */
  readonly kind: 'document' | 'ordinary' | 'invalid';
  /** Qualified type, `ssss:index`, or null when the file declares none that is known. */
  readonly type: string | null;
}

/** One Markdown file in a listing. What cannot be read as a document is listed with its reason, never left out. */
export interface DocumentEntry {
  readonly path: string;
  readonly kind: VaultDocument['kind'] | Exclude<ReportKind, 'temporary' | 'not_markdown'>;
  readonly type: string | null;
  readonly title: string | null;
  readonly hash: string | null;
  readonly reason?: string;
}

export interface EventQuery {
  /** Continue after this place; from an earlier answer. */
  readonly cursor?: string;
  /** A path, or a directory with a trailing `/`. */
  readonly subject?: string;
  readonly correlationId?: string;
  /** ISO 8601; events at or after it. */
  readonly since?: string;
}

export interface FollowOptions extends Omit<EventQuery, 'cursor'> {
  /** Begin behind this place; absent = at the first event of the log. */
  readonly cursor?: string | undefined;
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
}

/** Something a store, the configuration or recovery wants a person to know. */
export interface VaultNotice {
  readonly kind: string;
  readonly message: string;
  readonly file?: string;
  readonly offset?: number;
}

/** What an operator watches. */
export interface VaultActivity {
  /** How many commits ran together → how often so many did; empty for a vault in memory. */
  readonly batchSizes: ReadonlyMap<number, number>;
  /** Events that are durable in the log and not yet in the event index, which is a projection of it. */
  readonly unindexedEvents: number;
  /** How hand edits are noticed; null while nobody watches. */
  readonly watching: WatchState | null;
}

/** Where files and log disagree, or what keeps workflows from firing; the second kind names no bytes. */
type StatusRow = Omit<DriftRow, 'kind'> & { readonly kind: DriftRow['kind'] | RuntimeRow['kind'] };

export interface VaultStatus {
  readonly workspace_id: string;
  readonly rows: readonly StatusRow[];
  readonly files: FileAccount;
  readonly notices: readonly VaultNotice[];
}

export interface AdoptOptions {
  /** Documents that decide about rights (roles, models, types, migrations) which a person accepts by naming them here once more. */
  readonly confirmed?: readonly string[];
  readonly correlationId?: string;
}

/** One thing wrong at one place of one file. */
export interface CheckRow extends FieldIssue {
  readonly path: string;
}

export interface CheckReport {
  /** True when no document and no part of the log is damaged or invalid; warnings do not count. */
  readonly valid: boolean;
  readonly problems: readonly CheckRow[];
  /** What the standard recommends, and what may bite later. */
  readonly warnings: readonly CheckRow[];
  readonly log_damage: readonly { readonly file: string; readonly offset: number; readonly length: number; readonly reason: string }[];
  readonly files: FileAccount;
}

export interface RecoverySummary {
  /** Every outcome recorded on this machine, oldest first. */
  readonly outcomes: readonly RecoveryNote[];
  /** Commits whose writers are alive now. */
  readonly in_flight: readonly RecoveryReport[];
  /** Lines of the record that could not be read. */
  readonly unreadable: number;
}

/** The registry files of a vault on disk; null for a vault in memory. */
export interface RegistryFiles {
  verify(): Promise<{ readonly digest: string; readonly locked: boolean }>;
  lock(): Promise<{ readonly digest: string; readonly file: string }>;
  updateExtension(
    id: string,
    change: (current: string | null) => string,
    options?: { readonly dryRun?: boolean },
  ): Promise<{ readonly file: string; readonly changed: boolean; readonly digest: string }>;
}

/**
 * An open vault. These methods trust their caller: they are the library's surface for the process that owns the vault. Whoever acts for someone
 * else goes through the calls of this room, which authorise every read.
 *
 * @example
 * const vault = await openVault({ root: 'my-vault' });
 * await vault.execute(envelope, { principal: vault.localPrincipal() });
 */
export interface Vault {
  readonly workspaceId: string;
  /** Absolute real path; null for a vault in memory. */
  readonly root: string | null;
  readonly registry: Registry;
  /** The standard's version: `"0.9"`. */
  readonly specVersion: string;
  readonly leases: LeaseStore;
  readonly principals: PrincipalRegistry;
  readonly registryFiles: RegistryFiles | null;
  /** Workflows, tasks and their runs (§11.8). */
  readonly work: VaultWork;
  /** What other systems send (§11.8 `webhook`). */
  readonly hooks: VaultHooks;
  /** What this machine adds to the vault's work: language models, programs, services and their keys. */
  readonly machine: VaultMachine;
  /** Leftover commits that were decided since this vault was opened, oldest first (§6.3). */
  readonly recoveries: readonly RecoveryReport[];
  /** One envelope through the Operation Contract (§6); every failure is a response. */
  execute(envelope: unknown, context: ExecuteContext): Promise<KernelResponse>;
  /** The file at `path`, or null. Throws `VaultError` for unsafe paths and for bytes that are not UTF-8. */
  read(path: string): Promise<VaultDocument | null>;
  /** Markdown files below `prefix` in path order, of one qualified `type` if given, continuing behind `after`. */
  list(options?: { readonly prefix?: string; readonly type?: string; readonly after?: string }): AsyncIterable<DocumentEntry>;
  /**
   * The documents that have the words of a question, and those near to it in meaning where an embedding model is configured (§11.3). Any text is a
   * question, none is an error. Throws `invalid_request` for filters that cannot be.
   *
   * @example const { hits } = await vault.search('quarterly report', { types: ['page'], limit: 5 });
   */
  search(query: string, options?: SearchOptions): Promise<SearchReply>;
  /** The documents around one document and their edges, both ways (§11.9); null when there is no such document. */
  graph(path: string, options?: GraphOptions): Promise<GraphReply | null>;
  /** The log in append order (§8). */
  events(query?: EventQuery): AsyncIterable<Replayed>;
  /**
   * The log from a place on, and then every event as it comes, whichever process appended it; ends when `signal` says so or the vault closes. A slow
   * reader misses nothing and holds up nobody. Throws `VaultError('invalid_request')` for a cursor that the log does not know, also when the log was
   * exchanged below the reader.
   *
   * @example for await (const { event } of vault.follow({ cursor: await vault.lastCursor() ?? undefined, signal })) console.log(event.subject);
   */
  follow(options?: FollowOptions): AsyncIterable<Replayed>;
  /** The cursor behind the newest event; null while there is none. */
  lastCursor(): Promise<string | null>;
  /** The cursor right behind an event of this workspace; null when the log does not hold it. */
  cursorAfter(eventId: string): Promise<string | null>;
  event(eventId: string): Promise<CanonicalEvent | null>;
  trace(idOrCorrelation: string): Promise<CausalTree>;
  /** What is derived from vault and log (§10). */
  readonly index: VaultIndex;
  /** Past contents, who set what, and taking changes back (§8). */
  readonly history: VaultHistory;
  /** What leads where: checked, repaired, suggested, and kept when a document moves (§4.3). */
  readonly links: VaultLinks;
  /** What contradicts or repeats itself, and what became of what was remembered (§11.4–§11.6). */
  readonly memory: VaultMemory;
  /**
   * One document as it is shown in a language (§11.7, §11.9): the convention that the vault has for it applied, and the host's renderer if it has one.
   * Stores nothing. Throws `VaultError`: `not_found`, `invalid_request` for what is no language tag, `validation_failed` naming the control fields that a
   * renderer touched.
   *
   * @example const { content } = await vault.render('rules/tone.md', 'de');
   */
  readonly render: VaultRendering;
  /** Search by meaning: the model in force, and what keeps its vectors level (§11.3). */
  readonly embeddings: Embeddings;
  /** Where files and log disagree. */
  status(): Promise<VaultStatus>;
  /** Records hand edits in the log as `principal`: the given paths, or every drifted one. */
  adopt(paths: readonly string[] | null, principal: Principal, options?: AdoptOptions): Promise<readonly AdoptionResult[]>;
  /**
   * Follows the files until the watch is closed, `signal` says so, or the vault closes: what is derived from them is kept level, and with
   * `"adopt": "on-save"` valid hand edits are recorded as the person at this machine. The files themselves are never written.
   */
  watch(options?: WatchOptions): Promise<VaultWatch>;
  /** Validates the given files and directories, or everything. */
  check(paths?: readonly string[]): Promise<CheckReport>;
  /** Decides leftover commits now and tells every outcome so far. */
  recover(): Promise<RecoverySummary>;
  notices(): readonly VaultNotice[];
  /** What the stores of this process did and owe since they were opened; for operators. */
  activity(): VaultActivity;
  /** The person at this terminal. */
  localPrincipal(): Principal;
  close(): Promise<void>;
}
