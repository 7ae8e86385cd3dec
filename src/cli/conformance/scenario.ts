import type { Extension, Json, JsonMap } from './json.ts';

/** Where a scenario can run: the library over both stores, and the command line. */
export const surfaceNames = ['memory', 'fs', 'exec'] as const;
export type SurfaceName = (typeof surfaceNames)[number];

/** What must be so before the first step. */
export interface Given {
  /** Written through the contract before the first step, so that log and files agree. */
  readonly documents?: Readonly<Record<string, string>>;
  /** Put there behind the contract's back; bytes when the text cannot be UTF-8. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Symbolic links: vault-relative path → target. */
  readonly links?: Readonly<Record<string, string>>;
  readonly registry?: readonly Extension[];
  /** The registry was locked, and one enum changed afterwards. */
  readonly registry_drift?: boolean;
  readonly symlink_registry?: boolean;
  readonly policy?: JsonMap;
  readonly workspace?: string;
  readonly workspaces?: readonly string[];
  /** The instant the clock stands at; it moves by `advance` only. */
  readonly clock?: string;
  readonly faults?: readonly Fault[];
  /** A resource coordinator that notes its calls; `none` reserves nothing. */
  readonly resources?: boolean | 'none';
  readonly projection?: boolean;
  readonly no_lease_store?: boolean;
  readonly pre_0_9_roles?: boolean;
}

/** The next `times` calls of this adapter method fail, with a plain error or with the named one. */
export interface Fault {
  readonly adapter: AdapterName;
  readonly method: string;
  readonly times: number;
  readonly error?: 'version_conflict';
}

export type AdapterName = 'vfs' | 'events' | 'idempotency' | 'leases' | 'authorizer' | 'resources' | 'projections';

export interface Context {
  readonly ifMatch?: Json;
  readonly correlationId?: Json;
  readonly causationId?: Json;
  readonly confirmation?: Json;
}

/** What must hold after a step; every member is optional but the outcome. */
export interface Expectation {
  /** `commit`, `replay`, `unchanged`, `dry_run`, or one of the nine codes of §6.5. */
  readonly outcome?: string;
  readonly outcome_in?: readonly string[];
  readonly response?: JsonMap;
  readonly absent?: readonly string[];
  readonly fields?: readonly string[];
  readonly any_field?: readonly string[];
  readonly field_prefix?: string;
  readonly line?: number;
  readonly has_line?: boolean;
  readonly warnings?: number | { readonly min: number };
  readonly message_contains?: string;
  readonly event?: JsonMap;
  readonly event_shape?: boolean;
  readonly files?: Readonly<Record<string, string | null>>;
  readonly body?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, JsonMap>>;
  readonly lacks?: Readonly<Record<string, readonly string[]>>;
  readonly replaced_line?: { readonly path: string; readonly from: string; readonly to: string };
  readonly calls?: Readonly<Record<string, number>>;
  readonly resources?: readonly string[];
  readonly same_as?: string;
  readonly same_but_warnings?: string;
  readonly same_message_as?: string;
  readonly same_failure_as?: string;
  /** Lifts the rule that only a commit may change tree or log. */
  readonly changes?: 'any';
}

export interface SubmitStep {
  readonly kind: 'submit';
  /** What is sent: a value, or the raw text of a line. */
  readonly envelope?: Json;
  readonly line?: string;
  /** An envelope that names no key gets a fresh one; raw values go out as they are. */
  readonly defaults: boolean;
  readonly principal: Json;
  readonly context: Context;
  readonly as?: string;
  readonly expect: Expectation;
}

export interface LeaseStep {
  readonly kind: 'lease';
  readonly lease: JsonMap;
  readonly principal: Json;
  readonly as?: string;
  /** `granted`, `released`, `refused` (any code) or a code; with `lease`, the record must match. */
  readonly expect: { readonly outcome: string; readonly lease?: JsonMap };
}

export interface RaceStep {
  readonly kind: 'race';
  readonly processes: number;
  readonly each: number;
  readonly retry: boolean;
  readonly context: Context;
  readonly envelope?: JsonMap;
  readonly lease?: JsonMap;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly events?: number;
  readonly same_event: boolean;
  readonly files?: Readonly<Record<string, string | null>>;
  readonly field_count?: { readonly path: string; readonly prefix: string; readonly count: number };
}

/** A call of the product, beside the contract. */
export interface AskStep {
  readonly kind: 'ask';
  readonly call: string;
  readonly input: JsonMap;
  readonly principal: Json;
  readonly as?: string;
  /** A code of a refusal, or what the answer must match. */
  readonly expect: string | JsonMap;
}

export type CrashPoint = 'after_intent' | 'after_write' | 'after_append';

export interface StateExpectation {
  readonly files?: Readonly<Record<string, string | null>>;
  readonly events?: number;
}

export type Step =
  | SubmitStep
  | LeaseStep
  | AskStep
  | RaceStep
  | { readonly kind: 'crash'; readonly at: CrashPoint; readonly envelope: JsonMap }
  | {
      readonly kind: 'stall';
      readonly at: CrashPoint;
      readonly envelope: JsonMap;
      readonly meanwhile: { readonly recover: readonly JsonMap[] };
      readonly expect: Expectation;
    }
  | ({ readonly kind: 'recover'; readonly reports: readonly JsonMap[] } & StateExpectation)
  | ({ readonly kind: 'cli'; readonly args: readonly string[] } & StateExpectation)
  | { readonly kind: 'interleave'; readonly after: { readonly adapter: AdapterName; readonly method: string }; readonly envelope: JsonMap }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'outside'; readonly path: string; readonly text: string | null }
  | { readonly kind: 'remember'; readonly values: JsonMap }
  | { readonly kind: 'advance'; readonly seconds: number }
  | { readonly kind: 'forget' }
  | { readonly kind: 'tear_log'; readonly text: string }
  | { readonly kind: 'remove_dir'; readonly path: string }
  | { readonly kind: 'open'; readonly message_contains: readonly string[] }
  | { readonly kind: 'check'; readonly invalid: readonly string[] }
  | { readonly kind: 'trace'; readonly of: string; readonly subjects: readonly string[] }
  | { readonly kind: 'registry'; readonly types: Readonly<Record<string, string>>; readonly append_only: readonly string[] }
  | {
      readonly kind: 'log';
      readonly count: number;
      readonly subjects?: readonly string[];
      readonly actions?: readonly string[];
      readonly unique_ids: boolean;
    };

/** One scenario, its cases expanded: what the runner runs. */
export interface Scenario {
  /** `format-003`, or `format-003/crlf` for a case. */
  readonly id: string;
  readonly title: string;
  readonly covers: readonly string[];
  readonly surfaces: readonly SurfaceName[];
  readonly given: Given;
  readonly steps: readonly Step[];
}
