// The Operation Contract (§6) over two types and no adapters: what the kernel must answer and leave behind, in the fewest lines.

export interface Doc {
  readonly type: 'rule' | 'thread';
  readonly n: number;
  readonly body: string;
}

export interface Command {
  readonly kind: 'operation' | 'patch' | 'event' | 'delete';
  readonly path: string;
  readonly key: string;
  readonly who: 'u1' | 'u2';
  readonly capabilities: readonly string[];
  readonly doc: Doc;
  /** An operation whose document lacks its name. */
  readonly invalid: boolean;
  readonly change: { readonly n?: number; readonly body?: string };
  readonly dryRun: boolean;
  readonly expect: 'anything' | 'current' | 'stale' | 'absent';
  readonly fault: 'none' | 'get' | 'append' | 'put';
}

export type Expected =
  | { readonly code: string }
  | { readonly answer: 'commit' | 'dry_run' | 'unchanged'; readonly replay: boolean; readonly action: string };

export const render = ({ type, n, body }: Doc, invalid = false): string => {
  const own = type === 'rule' ? (invalid ? '' : 'name: r\n') : invalid ? '' : 'thread_id: t\n';
  return `---\ntype: ${type}\ntitle: T\ndescription: D\ntimestamp: 2026-01-01T00:00:00Z\n${own}count: ${n}\n---\n${body}`;
};

export interface Model {
  readonly docs: Map<string, Doc>;
  readonly log: { readonly action: string; readonly subject: string; readonly key: string }[];
  readonly step: (command: Command) => Expected;
  readonly edit: (path: string, doc: Doc | null) => void;
  /** The idempotency store lost its records. */
  readonly forget: () => void;
}

type Answer = Extract<Expected, { answer: unknown }>;

export function createModel(): Model {
  const docs = new Map<string, Doc>();
  const log: { action: string; subject: string; key: string }[] = [];
  const records = new Map<string, { request: string; answer: Answer }>();
  const committed = new Map<string, { request: string; answer: Answer }>();
  const recorded = new Map<string, string | null>();
  const textAt = (path: string): string | null => (docs.has(path) ? render(docs.get(path)!) : null);

  function after(command: Command, current: Doc | null): Doc | null | { code: string } {
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

  const allowed = ({ capabilities, kind }: Command, type: string, action: string): boolean => {
    const required = kind === 'event' ? 'write:event' : `ssss:${type}:${action}`;
    return capabilities.some(
      held => held === '*:*' || held === required || (held.endsWith(':*') && required.startsWith(held.slice(0, -1))),
    );
  };

  return {
    docs,
    log,
    step(command) {
      const { kind, path, key, who, dryRun, fault, expect } = command;
      // 2
      if (fault === 'get') return { code: 'internal_error' };
      const { doc, invalid, change } = command;
      const request = JSON.stringify([kind, path, who, kind === 'operation' && render(doc, invalid), kind === 'patch' && change]);
      const known = records.get(key) ?? committed.get(key);
      if (known !== undefined) return known.request === request ? { ...known.answer, replay: true } : { code: 'idempotency_conflict' };
      // 3, 4
      const current = docs.get(path) ?? null;
      const next = after(command, current);
      if (next !== null && 'code' in next) return next;
      const action = actionOf(command, current);
      // 5
      if (!allowed(command, (next ?? current ?? doc).type, action)) return { code: 'forbidden' };
      // 6
      const drifted = recorded.has(path) && recorded.get(path) !== textAt(path);
      if (kind !== 'event') {
        const buries = kind !== 'patch' && drifted && expect === 'anything';
        if (buries || expect === 'stale' || (expect === 'absent' && current !== null) || (expect === 'current' && current === null))
          return { code: 'version_conflict' };
      }
      const answer = (what: Answer['answer']): Answer => ({ answer: what, replay: false, action });
      if (kind === 'operation' && current !== null && render(current) === render(doc)) {
        if (!dryRun && fault !== 'put') records.set(key, { request, answer: answer('unchanged') });
        return answer('unchanged');
      }
      // 8
      if (dryRun) return answer('dry_run');
      // 9, 10
      if (fault === 'append') return { code: 'internal_error' };
      if (kind !== 'event') {
        if (next === null) docs.delete(path);
        else docs.set(path, next);
        recorded.set(path, textAt(path));
      }
      log.push({ action, subject: path, key });
      committed.set(key, { request, answer: answer('commit') });
      return answer('commit');
    },
    edit(path, doc) {
      if (doc === null) docs.delete(path);
      else docs.set(path, doc);
    },
    forget: () => records.clear(),
  };
}
