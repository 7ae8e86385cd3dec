import type { Principal } from '#adapter-contracts';
import type { LinkFault } from '#semantic';

/** Who changes links, and what the change belongs to. */
export interface LinkWriter {
  readonly principal: Principal;
  /** Plan only; nothing is changed. */
  readonly dryRun?: boolean;
  readonly correlationId?: string;
  readonly causationId?: string;
}

/** Which documents a reader sees. */
export interface LinkReader {
  /** Whether files of this type, null = of no known type, are shown; absent = all. */
  readonly mayRead?: (type: string | null) => boolean;
  /** Whether documents that do not travel are shown. Absent = true. */
  readonly private?: boolean;
}

/** A link as it stands in a document. */
export interface LinkRow {
  readonly line: number;
  readonly column: number;
  readonly kind: 'wiki' | 'markdown' | 'field';
  /** As meant, without the anchor. */
  readonly target: string;
  readonly anchor: string | null;
  readonly label: string | null;
  /** The frontmatter field of a path that stands in one. */
  readonly field: string | null;
}

/** The links of one document in both directions, by place. */
export interface DocumentLinks {
  readonly path: string;
  readonly outgoing: readonly (LinkRow & { readonly path: string })[];
  readonly backlinks: readonly (LinkRow & { readonly path: string })[];
  /** Links that nothing answers to, or several documents do. */
  readonly unresolved: readonly (LinkRow & { readonly candidates: readonly string[] })[];
}

/** Something wrong with one link, at its place. */
export interface LinkProblem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly fault: LinkFault;
  readonly severity: 'error' | 'warning';
  readonly target: string;
  readonly field: string | null;
  readonly message: string;
  /** The document it can only have meant; what `fix` makes of it. */
  readonly repair: string | null;
}

export interface LinkReport {
  /** True when there is no error; warnings do not count. */
  readonly sound: boolean;
  readonly documents: number;
  readonly problems: readonly LinkProblem[];
}

/** One target that was written anew. */
export interface LinkEdit {
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/** What became of one document whose links were to change. */
export interface LinkChange {
  readonly path: string;
  /** `planned`: a dry run would change it; `unchangeable`: no envelope may rewrite it (records, Markdown without a type). */
  readonly outcome: 'changed' | 'planned' | 'refused' | 'unchangeable';
  readonly edits: readonly LinkEdit[];
  readonly event_id?: string;
  readonly reason?: string;
  /** Unified; of a dry run. */
  readonly diff?: string;
}

export interface LinkFixes {
  readonly dry_run: boolean;
  readonly changes: readonly LinkChange[];
  /** Faults that need a person. */
  readonly remaining: readonly LinkProblem[];
}

/** A mention that could be a link. */
export interface LinkMention {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly target: string;
}

export interface AppliedLinks {
  readonly dry_run: boolean;
  readonly changes: readonly LinkChange[];
}

/** One step of a move. */
export interface MoveStep {
  readonly step: 'create' | 'rewrite' | 'delete';
  readonly path: string;
  /** `already`: an earlier, interrupted run did it; `left`: not reached. */
  readonly outcome: 'planned' | 'done' | 'already' | 'refused' | 'left';
  readonly edits: readonly LinkEdit[];
  readonly event_id?: string;
  readonly reason?: string;
}

export interface MoveReport {
  readonly from: string;
  readonly to: string;
  readonly dry_run: boolean;
  /** Every step is done; always true of a dry run. */
  readonly complete: boolean;
  readonly correlation_id: string;
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  readonly steps: readonly MoveStep[];
  /** Links to what moves that no step may or can rewrite, each with its place and the reason. */
  readonly kept: readonly { readonly path: string; readonly line: number; readonly target: string; readonly reason: string }[];
  /** Files of a moved directory that stay, because the contract cannot move them. */
  readonly staying: readonly { readonly path: string; readonly reason: string }[];
}

/** What became of one table of contents. */
export interface ContentsPage {
  readonly path: string;
  /** `kept`: a person's page, left alone. */
  readonly outcome: 'created' | 'replaced' | 'unchanged' | 'removed' | 'planned' | 'kept' | 'refused';
  readonly event_id?: string;
  readonly reason?: string;
}

/** Links between the documents of an open vault (§4.3). Reading trusts the caller; every change goes through the contract as the given principal. */
export interface VaultLinks {
  /** The links of one file in both directions; null when there is no such Markdown file. */
  of(path: string, reader?: LinkReader): Promise<DocumentLinks | null>;
  /** Every faulty link of the given files and directories, or of all. */
  check(paths?: readonly string[]): Promise<LinkReport>;
  /** Repairs what can have meant one document only, one patch for each document, each with the version it was planned from. */
  fix(paths: readonly string[] | null, writer: LinkWriter): Promise<LinkFixes>;
  /** Mentions of titles and aliases that could be links. */
  suggest(paths?: readonly string[], reader?: LinkReader): Promise<readonly LinkMention[]>;
  /** Makes those mentions links. */
  apply(paths: readonly string[] | null, writer: LinkWriter, reader?: LinkReader): Promise<AppliedLinks>;
  /**
   * Gives a document, or every document of a directory, another path, and every link to it. Throws `VaultError` before anything is changed when the move cannot
   * be made; an interrupted move is finished by making it again.
   */
  move(from: string, to: string, writer: LinkWriter): Promise<MoveReport>;
  /** Writes `index.md` for a directory (`''` = the vault) and those below it, from public documents alone. */
  writeContents(directory: string, writer: LinkWriter & { readonly force?: boolean }): Promise<readonly ContentsPage[]>;
}
