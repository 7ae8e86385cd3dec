import type { CallOptions, Transport } from './transport.ts';

interface LinkPlace {
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

/** The links of one document in both directions. */
export interface DocumentLinks {
  readonly path: string;
  readonly outgoing: readonly (LinkPlace & { readonly path: string })[];
  readonly backlinks: readonly (LinkPlace & { readonly path: string })[];
  readonly unresolved: readonly (LinkPlace & { readonly candidates: readonly string[] })[];
}

/** Something wrong with one link. */
export interface LinkProblem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly fault: 'missing' | 'ambiguous' | 'wrong_case' | 'missing_ending' | 'missing_heading' | 'reserved' | 'private';
  readonly severity: 'error' | 'warning';
  readonly target: string;
  readonly field: string | null;
  readonly message: string;
  /** The document it can only have meant. */
  readonly repair: string | null;
}

export interface LinkReport {
  readonly sound: boolean;
  readonly documents: number;
  readonly problems: readonly LinkProblem[];
}

interface LinkEdit {
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

export interface LinkFixes {
  readonly dry_run: boolean;
  readonly changes: readonly {
    readonly path: string;
    readonly outcome: 'changed' | 'planned' | 'refused' | 'unchangeable';
    readonly edits: readonly LinkEdit[];
    readonly event_id?: string | undefined;
    readonly reason?: string | undefined;
    readonly diff?: string | undefined;
  }[];
  readonly remaining: readonly LinkProblem[];
}

/** A title or alias in prose that could be a link. */
export interface LinkMention {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly target: string;
}

export interface MoveReport {
  readonly from: string;
  readonly to: string;
  readonly dry_run: boolean;
  readonly complete: boolean;
  readonly correlation_id: string;
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  readonly steps: readonly {
    readonly step: 'create' | 'rewrite' | 'delete';
    readonly path: string;
    readonly outcome: 'planned' | 'done' | 'already' | 'refused' | 'left';
    readonly edits: readonly LinkEdit[];
    readonly event_id?: string | undefined;
    readonly reason?: string | undefined;
  }[];
  /** Links that nobody may rewrite, each with the reason. */
  readonly kept: readonly { readonly path: string; readonly line: number; readonly target: string; readonly reason: string }[];
  readonly staying: readonly { readonly path: string; readonly reason: string }[];
}

interface ChangeOptions extends CallOptions {
  /** Plan only. */
  readonly dryRun?: boolean;
  readonly correlationId?: string;
}

/** Links between documents (§4.3). Whatever is refused as a whole is thrown as `SheafError`. */
export interface LinkCalls {
  /** The links of a document in both directions; private documents only with `search:private`. */
  of(path: string, options?: CallOptions & { readonly private?: boolean }): Promise<DocumentLinks>;
  check(options?: CallOptions & { readonly paths?: readonly string[] }): Promise<LinkReport>;
  /** Repairs what can have meant one document only. */
  fix(options?: ChangeOptions & { readonly paths?: readonly string[] }): Promise<LinkFixes>;
  suggest(options?: CallOptions & { readonly paths?: readonly string[] }): Promise<readonly LinkMention[]>;
  /** Moves a document or a directory with every link to it; asked again, it finishes what was interrupted. */
  move(from: string, to: string, options?: ChangeOptions): Promise<MoveReport>;
}

export const createLinkCalls = (transport: Transport): LinkCalls => {
  const post = <T>(path: string, body: Readonly<Record<string, unknown>>, repeatable: boolean, { signal }: CallOptions): Promise<T> =>
    transport.call({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      repeatable,
      signal,
    });
  const flow = ({ dryRun, correlationId }: ChangeOptions) => ({ dry_run: dryRun, correlation_id: correlationId });
  return {
    of: (path, options = {}) => {
      const query = { path, ...(options.private === undefined ? {} : { private: String(options.private) }) };
      return transport.call({ path: '/v1/links', query, repeatable: true, signal: options.signal });
    },
    check: (options = {}) => post('/v1/links/check', { paths: options.paths }, true, options),
    fix: (options = {}) => post('/v1/links/fix', { paths: options.paths, ...flow(options) }, true, options),
    async suggest(options = {}) {
      const { mentions } = await post<{ mentions: readonly LinkMention[] }>('/v1/links/suggest', { paths: options.paths }, true, options);
      return mentions;
    },
    move: (from, to, options = {}) => post('/v1/move', { from, to, ...flow(options) }, true, options),
  };
};
