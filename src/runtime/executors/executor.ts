import type { FrontmatterMap } from '#document';

/** A document as an executor sees it. */
export interface ExecutorDocument {
  readonly path: string;
  /** `sha256:<hex>` of the bytes it was read from. */
  readonly hash: string;
  readonly data: FrontmatterMap;
  readonly body: string;
  /**
   * Null when a person wrote these bytes last, and the log says so; else why the text counts as from outside (`outsideReason`, `taskOutside`).
   */
  readonly outside: string | null;
}

/** One step of a run record (§5.4 `run`, §11.4). */
export interface RunStep {
  /** One line. */
  readonly name: string;
  readonly status: 'ok' | 'failed' | 'waiting' | 'note';
  readonly text: string;
  /** Paths of the documents that shaped the step. */
  readonly provenance?: readonly string[];
}

/** How the work on a task ended, or why it stops for now. */
export type ExecutionOutcome =
  | { readonly kind: 'succeeded'; readonly summary: string }
  /** `retry`: another try may help, not before `retryAfterMs`. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retry: boolean; readonly retryAfterMs?: number }
  /** Nothing goes on before a person approves or rejects; then the executor runs again with the decision. */
  | { readonly kind: 'waiting_for_human'; readonly question: string };

/** A person's answer to `waiting_for_human`. */
export interface HumanDecision {
  readonly approved: boolean;
  /** The principal who decided. */
  readonly by: string;
  readonly reason: string;
  /** The question exactly as `waiting_for_human` gave it and as the person saw it; it holds what is done on approval, word for word. */
  readonly question: string;
}

/** The vault with the rights of one run: the contract's own answers, as the run's principal and with its causes. */
export interface RunVault {
  /** What the run's principal holds (`runRights`). */
  readonly capabilities: readonly string[];
  /** The document, or null when it is absent or the run may not read it. */
  read(path: string): Promise<ExecutorDocument | null>;
  list(options: {
    readonly prefix?: string;
    readonly type?: string;
    readonly limit: number;
  }): Promise<readonly { readonly path: string; readonly type: string | null; readonly title: string | null }[]>;
  search(query: string, limit: number): Promise<readonly { readonly path: string; readonly title: string; readonly snippet: string }[]>;
  /** Null when a person wrote the document at `path` last, else why its text counts as from outside (`outsideReason`). */
  outside(path: string): Promise<string | null>;
  /** One envelope through the Operation Contract; workspace, causation, correlation and a key of the run are filled in. */
  submit(envelope: {
    readonly type: 'operation' | 'patch' | 'event' | 'delete';
    readonly path: string;
    readonly content?: string;
    readonly patches?: Readonly<Record<string, unknown>>;
    readonly ifMatch?: string | null;
  }): Promise<
    | { readonly success: true; readonly path: string; readonly event_id?: string }
    | { readonly success: false; readonly code: string; readonly message: string }
  >;
}

/** What a worker hands to an executor. */
export interface Execution {
  readonly task: ExecutorDocument;
  readonly workflow: ExecutorDocument | null;
  /** The assistant that `assistantPath` names, as the rights of the run were made from it. */
  readonly assistant: ExecutorDocument | null;
  /** The skills that `skillPaths` names, likewise; those that are absent are left out. */
  readonly skills: readonly ExecutorDocument[];
  readonly runPath: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly decision: HumanDecision | null;
  /** Fires when the lease is lost, the task is canceled or its time is up; whatever is done afterwards cannot be recorded. */
  readonly signal: AbortSignal;
  readonly vault: RunVault;
  /** Appends a step to the run record. Rejects when the lease is gone. */
  step(step: RunStep): Promise<void>;
  /** The run has read text that came from outside; what it may write shrinks from now on. */
  taint(source: string): void;
}

/** A way to do the work of a task. */
export interface Executor {
  readonly kind: 'assistant' | 'command' | 'http';
  /** Why the task cannot be worked on now, for people; null when it can. What it names stays pending, never skipped. */
  unready(work: Pick<Execution, 'task' | 'workflow' | 'assistant'>): Promise<string | null>;
  /** Never rejects for what a task, a model or a program does; a rejection is a fault of the executor and fails the attempt. */
  run(execution: Execution): Promise<ExecutionOutcome>;
}
