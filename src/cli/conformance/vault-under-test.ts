import type { CanonicalEvent, Vault } from '#api';
import type { Json, JsonMap } from './json.ts';
import type { AdapterName, Context, CrashPoint, Fault, Scenario, SurfaceName } from './scenario.ts';

/** One request as a scenario makes it: a value or the raw text of a line, and what the host attaches beside it. */
export interface Request {
  readonly envelope?: Json;
  readonly line?: string;
  readonly principal: Json;
  readonly context: Context;
}

/** What a step sent came to: a response, a lease record, or the code of a refusal. */
export type LeaseAnswer = { readonly lease: JsonMap } | { readonly released: true } | { readonly code: string };

/** An open vault in the hands of the runner, whatever stands behind it. */
export interface VaultUnderTest {
  submit(request: Request): Promise<JsonMap>;
  lease(request: JsonMap, principal: Json): Promise<LeaseAnswer>;
  /** Runs `count` workers against this vault at the same moment; each gives its answers in order. */
  race(workers: readonly RaceWorker[]): Promise<readonly (readonly JsonMap[])[]>;
  /** The stored text, read behind the contract's back; null when there is none. */
  text(path: string): Promise<string | null>;
  /** Path → hash of every stored file outside the reserved places. */
  tree(): Promise<ReadonlyMap<string, string>>;
  /** Events appended since the last call. */
  newEvents(): Promise<readonly CanonicalEvent[]>;
  allEvents(): Promise<readonly CanonicalEvent[]>;
  /** The open library vault, for questions no envelope asks. */
  library(): Promise<Vault>;
  outside(path: string, text: string | null): Promise<void>;
  /** Present where adapters can be watched and made to fail. */
  readonly controls?: Controls;
  /** Present where the vault is a directory. */
  readonly disk?: Disk;
  close(): Promise<void>;
}

export interface RaceWorker {
  /** Made anew for each try, so that a retry can carry a fresh key. */
  readonly requests: readonly ((attempt: number) => Request)[];
  readonly lease?: { readonly request: JsonMap; readonly principal: Json };
  readonly retry: boolean;
}

export interface Controls {
  arm(fault: Fault): void;
  /** Calls per adapter since the last question. */
  calls(): Readonly<Record<string, number>>;
  /** What the resource coordinator was asked since the last question. */
  resources(): readonly string[];
  forgetIdempotency(): void;
  advance(seconds: number): void;
  /** Commits `envelope` right after the next call of the method, before its caller goes on. */
  interleave(after: { readonly adapter: AdapterName; readonly method: string }, envelope: JsonMap): void;
}

export interface Disk {
  readonly root: string;
  /** Runs the envelope in a process that kills itself at the given point. */
  crash(at: CrashPoint, request: Request): Promise<void>;
  /** Runs the envelope in a process that stops itself there, calls `meanwhile`, lets it go on, and gives its answer. */
  stall(at: CrashPoint, request: Request, meanwhile: () => Promise<void>): Promise<JsonMap>;
  /** Appends raw text to the newest segment of the log. */
  tearLog(text: string): Promise<void>;
  removeDirectory(path: string): Promise<void>;
  /** Runs `sheaf` with these arguments on this vault. */
  cli(args: readonly string[]): Promise<void>;
}

/** A way to the product. `open` throws what opening a vault throws. */
export interface Surface {
  /** `http` is a host elsewhere; it plays what needs nothing but requests. */
  readonly name: SurfaceName | 'http';
  /** True for scenarios that share one vault and must follow one another. */
  exclusive?(scenario: Scenario): boolean;
  open(scenario: Scenario): Promise<VaultUnderTest>;
  close(): Promise<void>;
}
