// The Operation Contract (§6) over three types and no adapters: what the kernel must answer and leave behind, in the fewest lines.
import { hashContent } from '#document';

/** A `claim` is written only under a lease. */
export interface Doc {
  readonly type: 'rule' | 'thread' | 'claim';
  readonly n: number;
  readonly body: string;
}

export interface Command {
  readonly kind: 'operation' | 'patch' | 'event' | 'delete';
  readonly path: string;
  readonly key: string;
  readonly who: string;
  readonly capabilities: readonly string[];
  readonly doc: Doc;
  /** An operation whose document lacks what its type requires. */
  readonly invalid: boolean;
  readonly change: { readonly n?: number; readonly body?: string };
  readonly dryRun: boolean;
  /** The expected version; undefined = any. */
  readonly ifMatch?: string | null | undefined;
  /** The lease the envelope carries. */
  readonly lease?: string | undefined;
  readonly fault?: 'none' | 'get' | 'append' | 'put';
}

export type Expected =
  | { readonly code: string }
  | {
      readonly answer: 'commit' | 'dry_run' | 'unchanged';
      readonly replay: boolean;
      /** Which entry of the log the answer names; -1 for none. */
      readonly event: number;
    };

const ownFields = { rule: 'type: rule\nname: r\n', thread: 'type: thread\nthread_id: t\nstatus: open\n', claim: 'type: field:claim\n' };
const lacking = { rule: 'type: rule\n', thread: 'type: thread\n', claim: '' };
export const render = ({ type, n, body }: Doc, invalid = false): string =>
  `---\n${(invalid ? lacking : ownFields)[type]}title: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\ncount: ${n}\n---\n${body}`;

type Answer = Extract<Expected, { answer: unknown }>;
type Known = { readonly request: string; readonly answer: Answer };

/** Everything the contract remembers. */
class State {
  docs: ReadonlyMap<string, Doc> = new Map<string, Doc>();
  /** What the log last recorded of each path. */
  recorded: ReadonlyMap<string, string | null> = new Map<string, string | null>();
  /** Answers under their keys: those that the log keeps for good, and those that only the idempotency store holds. */
  committed: ReadonlyMap<string, Known> = new Map<string, Known>();
  records: ReadonlyMap<string, Known> = new Map<string, Known>();
  leases: ReadonlyMap<string, string> = new Map<string, string>();
  log: readonly { readonly action: string; readonly subject: string; readonly key: string }[] = [];
}

const set = <V>(map: ReadonlyMap<string, V>, key: string, value: V | null): ReadonlyMap<string, V> =>
  value === null ? new Map([...map].filter(([each]) => each !== key)) : new Map(map).set(key, value);

export class Model extends State {
  copy(): Model {
    return Object.assign(new Model(), this);
  }

  textAt(path: string): string | null {
    const doc = this.docs.get(path);
    return doc === undefined ? null : render(doc);
  }

  /** What the envelope is answered; the state moves on to what it leaves behind. */
  step(command: Command): Expected {
    const { kind, path, key, doc, invalid, change, dryRun, fault, ifMatch } = command;
    // 2
    if (fault === 'get') return { code: 'internal_error' };
    const request = JSON.stringify([kind, path, command.who, kind === 'operation' && render(doc, invalid), kind === 'patch' && change]);
    const known = this.committed.get(key) ?? this.records.get(key);
    if (known !== undefined) return known.request === request ? { ...known.answer, replay: true } : { code: 'idempotency_conflict' };
    // 3, 4
    const current = this.docs.get(path) ?? null;
    const next = planned(command, current);
    if (next !== null && 'code' in next) return next;
    // 5
    const action = actionOf(command, current);
    const type = (next ?? current ?? doc).type;
    if (!allowed(command, type, action)) return { code: 'forbidden' };
    // 6
    const leased = this.leases.get(path);
    const presented = command.lease === undefined ? undefined : heldBy(command.lease, command.who);
    const needsLease = kind !== 'event' && type === 'claim';
    if (presented === undefined ? needsLease : presented !== leased) return { code: 'lease_conflict' };
    const text = this.textAt(path);
    const drifted = this.recorded.has(path) && this.recorded.get(path) !== text;
    const buries = (kind === 'operation' || kind === 'delete') && drifted;
    if (ifMatch === undefined ? buries : ifMatch !== (text === null ? null : hashContent(text))) return { code: 'version_conflict' };
    const answer = (what: Answer['answer'], event: number): Answer => ({ answer: what, replay: false, event });
    if (kind === 'operation' && text === render(doc)) {
      const unchanged = answer('unchanged', -1);
      if (!dryRun && fault !== 'put') this.records = set(this.records, key, { request, answer: unchanged });
      return unchanged;
    }
    // 8
    if (dryRun) return answer('dry_run', -1);
    // 9, 10
    if (fault === 'append') return { code: 'internal_error' };
    if (kind !== 'event') {
      this.docs = set(this.docs, path, next);
      this.recorded = new Map(this.recorded).set(path, this.textAt(path));
    }
    const committed = answer('commit', this.log.length);
    this.log = [...this.log, { action, subject: path, key }];
    this.committed = set(this.committed, key, { request, answer: committed });
    return committed;
  }

  /** Someone writes past the kernel. */
  edit(path: string, doc: Doc | null): void {
    this.docs = set(this.docs, path, doc);
  }

  /** The idempotency store lost what it held: under one key, or altogether (§6.4 Retention). */
  forget(key?: string): void {
    this.records = key === undefined ? new Map() : set(this.records, key, null);
  }

  /** §7: at most one live lease on a path; `id` is the store's choice. */
  acquire(path: string, who: string, id: string): boolean {
    if (this.leases.has(path)) return false;
    this.leases = set(this.leases, path, heldBy(id, who));
    return true;
  }

  release(path: string, who: string, id: string): boolean {
    if (this.leases.get(path) !== heldBy(id, who)) return false;
    this.leases = set(this.leases, path, null);
    return true;
  }
}

const heldBy = (lease: string, who: string): string => `${who} ${lease}`;

function planned(command: Command, current: Doc | null): Doc | null | { code: string } {
  const { kind, doc, change, invalid } = command;
  if (kind === 'event') return current;
  if (kind === 'operation') {
    const same = current !== null && render(doc, invalid) === render(current);
    const rewritten = current !== null && !same && (current.type !== doc.type || current.type === 'thread');
    return invalid || rewritten ? { code: 'validation_failed' } : doc;
  }
  if (current === null) return { code: 'not_found' };
  if (kind === 'delete') return current.type === 'thread' ? { code: 'validation_failed' } : null;
  const body = change.body === undefined ? current.body : current.type === 'thread' ? current.body + change.body : change.body;
  return { ...current, n: change.n ?? current.n, body };
}

function actionOf({ kind, change }: Command, current: Doc | null): string {
  if (kind === 'operation') return current === null ? 'create' : 'replace';
  return kind === 'patch' && current?.type === 'thread' && change.body !== undefined ? 'append' : kind;
}

function allowed({ capabilities, kind }: Command, type: Doc['type'], action: string): boolean {
  const required = kind === 'event' ? 'write:event' : `${type === 'claim' ? 'field' : 'ssss'}:${type}:${action}`;
  return capabilities.some(held => held === '*:*' || held === required || (held.endsWith(':*') && required.startsWith(held.slice(0, -1))));
}
