import type { Principal } from '#adapter-contracts';
import type { CanonicalEvent, Vault } from '#api';
import { parseDocument } from '#document';
import { openMemoryVault, type VaultAdapters } from '#open-vault';

export const human: Principal = {
  id: 'local:ana',
  kind: 'human',
  workspaceIds: ['ws-memory'],
  capabilities: ['*:*'],
  authentication: { provider: 'os', assurance: 'verified' },
};

export const agent: Principal = { ...human, id: 'agent:robot', kind: 'agent' };

/** A clock that stands until it is moved. */
export const movableClock = (start: string) => {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    set: (at: string | number) => {
      now = typeof at === 'number' ? at : Date.parse(at);
    },
    move: (seconds: number) => {
      now += seconds * 1000;
    },
  };
};

let keys = 0;

/** A vault in memory whose daemon is run round by round. */
export const openRuntimeVault = async (start = '2026-05-16T00:00:00Z', wrapAdapters?: (adapters: VaultAdapters) => VaultAdapters) => {
  const clock = movableClock(start);
  const vault = await openMemoryVault({ clock, ...(wrapAdapters === undefined ? {} : { wrapAdapters }) });
  return { clock, ...vaultHands(vault) };
};

/** What tests do with a vault. */
export const vaultHands = (vault: Vault) => {
  const submit = async (envelope: Readonly<Record<string, unknown>>, principal: Principal = human, context: object = {}) => {
    keys += 1;
    const response = await vault.execute(
      { workspace_id: vault.workspaceId, idempotency_key: `test-${keys}`, ...envelope },
      { principal: { ...principal, workspaceIds: [vault.workspaceId] }, ...context },
    );
    if (!response.success) throw new Error(`${String(envelope['path'])}: ${response.error.message} [${response.error.code}]`);
    return response;
  };
  const write = (path: string, content: string, principal?: Principal) => submit({ type: 'operation', path, content }, principal);
  const record = (path: string, payload: object, principal?: Principal, context?: object) =>
    submit({ type: 'event', path, content: JSON.stringify(payload) }, principal, context);
  const data = async (path: string) => {
    const document = await vault.read(path);
    if (document === null) throw new Error(`no document at ${path}`);
    const parsed = parseDocument(document.text);
    if (parsed.kind !== 'document') throw new Error(`no frontmatter at ${path}`);
    return parsed.document.data;
  };
  const paths = async (type: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { path } of vault.list({ type: `ssss:${type}` })) found.push(path);
    return found;
  };
  const events = async (type?: string): Promise<readonly CanonicalEvent[]> => {
    const found: CanonicalEvent[] = [];
    for await (const { event } of vault.events()) {
      const { payload } = event;
      const own = typeof payload === 'object' && payload !== null && 'event_type' in payload ? payload.event_type : event.event_type;
      if (type === undefined || own === type) found.push(event);
    }
    return found;
  };
  return { vault, submit, write, record, data, tasks: () => paths('task'), runs: () => paths('run'), events };
};

/** A workflow with the given trigger entries, in YAML. */
export const workflow = (id: string, triggers: readonly string[], more = ''): string =>
  `---\ntype: workflow\nname: ${id}\ntitle: ${id}\ndescription: A workflow of the tests.\ntimestamp: 2026-05-16T00:00:00Z\nworkflow_id: ${id}\n${more}${
    triggers.length === 0 ? '' : `triggers:\n${triggers.map(entry => `  - ${entry.trim().replaceAll('\n', '\n    ')}\n`).join('')}`
  }---\n\n## Steps\n\n1. Work.\n`;

/** Rounds until nothing is left to do at once. */
export const settle = async (rounds: ReturnType<Vault['work']['rounds']>) => {
  const fired = [];
  for (;;) {
    const round = await rounds.round();
    fired.push(...round.fired);
    if (!round.more) return { ...round, fired };
  }
};
