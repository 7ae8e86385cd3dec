import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type Principal, systemClock } from '#adapter-contracts';
import { checkPath } from '#document';
import { VaultError } from '#errors';
import { isCapability } from '#registry';
import { withFileLock } from './file-lock.ts';
import { ensurePrivateDirectory, writeFileDurably } from './machine-directory.ts';
import { type PrincipalRecord, parsePrincipals, printPrincipals } from './principal-records.ts';
import type { RoleExpander } from './role-expander.ts';
import { createToken, hashToken, sameHash } from './token.ts';

/** A registered principal as `principal ls` shows it: everything but the token's hash. */
export type PrincipalSummary = Omit<PrincipalRecord, 'token_hash'>;

export interface NewPrincipal {
  readonly id: string;
  /** `human`, `agent` or `service`; `system` is refused. */
  readonly kind: string;
  readonly capabilities: readonly string[];
  /** Names of roles; what `roles/<name>/ROLE.md` grants is added each time the principal is authenticated. */
  readonly roles?: readonly string[];
  /** ISO 8601; absent = the token does not expire. */
  readonly expires_at?: string | null;
}

/** The principals this machine admits to one vault (§6.6). Tokens are shown once and kept as hashes; a revocation counts from the next call on. */
export interface PrincipalRegistry {
  /** Registers a principal and returns its token, the only time it is shown. A revoked id may be added again. */
  add(principal: NewPrincipal): Promise<{ readonly id: string; readonly token: string }>;
  list(): Promise<readonly PrincipalSummary[]>;
  revoke(id: string): Promise<PrincipalSummary>;
  /** Replaces the token; the old one is void at once. */
  rotate(id: string, options?: { readonly expires_at?: string | null }): Promise<{ readonly id: string; readonly token: string }>;
  /** The principal a bearer token stands for; null when it is unknown, expired or revoked. */
  verifyToken(token: string, workspaceId: string): Promise<Principal | null>;
  /** The live principal with this id, for a local caller that acts as it. */
  find(id: string, workspaceId: string): Promise<Principal | null>;
  /** What the documents of these roles grant now; only versions that a person wrote count. */
  readonly expandRoles: RoleExpander;
}

/** Where the records are kept: read whole, replaced whole, one update at a time. */
interface PrincipalStore {
  read(): readonly PrincipalRecord[];
  update(change: (principals: readonly PrincipalRecord[]) => readonly PrincipalRecord[]): Promise<void>;
}

/**
 * Opens the registry in a vault's machine state. Nothing is created before the first `add`.
 *
 * One JSON file, replaced by rename under an operating-system lock: readers need no lock, two processes that add at once both succeed, a
 * process that dies leaves neither a lock nor half a file, and a person can read what is granted.
 */
export const openPrincipalRegistry = (options: {
  readonly stateDir: string;
  readonly clock?: Clock;
  readonly expandRoles?: RoleExpander;
}): PrincipalRegistry => {
  const file = join(options.stateDir, 'principals.json');
  const read = createRecordReader(file);
  const update: PrincipalStore['update'] = change => {
    ensurePrivateDirectory(options.stateDir);
    return withFileLock(join(options.stateDir, 'principals.lock'), () => writeFileDurably(file, printPrincipals(change(read()))));
  };
  return createPrincipalRegistry({ read, update }, options);
};

/** The registry of a vault in memory: it ends with it. */
export const createMemoryPrincipalRegistry = (clock?: Clock, expandRoles?: RoleExpander): PrincipalRegistry => {
  let principals: readonly PrincipalRecord[] = [];
  const update: PrincipalStore['update'] = async change => {
    principals = change(principals);
  };
  return createPrincipalRegistry({ read: () => principals, update }, { ...(clock && { clock }), ...(expandRoles && { expandRoles }) });
};

/** Looks at the file for every call, so that a revocation by another process counts at once; reads it only when another file stands there. */
const createRecordReader = (file: string): (() => readonly PrincipalRecord[]) => {
  let read: { readonly stamp: string; readonly records: readonly PrincipalRecord[] } | null = null;
  return () => {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return [];
    // Every change is a new file under the name, made at its own time.
    const stamp = `${stat.ino}/${stat.size}/${stat.mtimeNs}/${stat.ctimeNs}`;
    if (read?.stamp === stamp) return read.records;
    const records = parsePrincipals(readFileSync(file, 'utf8'), file);
    // Clocks of file systems tick slowly, some every other second: what was written just now could be replaced under the same stamp, so it is read again.
    read = Date.now() - Number(stat.mtimeMs) > 2000 ? { stamp, records } : null;
    return records;
  };
};

const noRoles: RoleExpander = async () => [];

const createPrincipalRegistry = (
  store: PrincipalStore,
  options: { readonly clock?: Clock; readonly expandRoles?: RoleExpander },
): PrincipalRegistry => {
  const { clock = systemClock, expandRoles = noRoles } = options;
  const principalOf = async (record: PrincipalRecord, workspaceId: string, provider: 'token' | 'os'): Promise<Principal> => ({
    id: record.id,
    kind: record.kind,
    workspaceIds: [workspaceId],
    capabilities: [...new Set([...record.capabilities, ...(await expandRoles(record.roles ?? []))])],
    authentication: { provider, assurance: 'verified' },
  });
  const now = () => clock.now().toISOString();
  const isLive = (record: PrincipalRecord) =>
    record.revoked_at === null && (record.expires_at === null || Date.parse(record.expires_at) > clock.now().getTime());

  return {
    async add(request) {
      const token = createToken();
      const record = newRecord(request, now(), hashToken(token));
      await store.update(principals => {
        if (principals.some(known => known.id === record.id && known.revoked_at === null)) {
          throw refused(
            'id',
            `Principal '${record.id}' is registered already: \`sheaf principal token ${record.id}\` gives it a new token.`,
          );
        }
        return [...principals.filter(known => known.id !== record.id), record];
      });
      return { id: record.id, token };
    },
    list: async () => store.read().map(summary),
    async revoke(id) {
      const record = await change(store, id, known => ({ ...known, revoked_at: known.revoked_at ?? now() }));
      return summary(record);
    },
    async rotate(id, options = {}) {
      const token = createToken();
      const expires = options.expires_at === undefined ? undefined : checkedInstant(options.expires_at);
      await change(store, id, known => {
        if (known.revoked_at !== null)
          throw refused('id', `Principal '${id}' was revoked at ${known.revoked_at}: add it again to admit it.`);
        return { ...known, token_hash: hashToken(token), expires_at: expires === undefined ? known.expires_at : expires };
      });
      return { id, token };
    },
    async verifyToken(token, workspaceId) {
      const hash = hashToken(token);
      // Every record is compared, so the time taken says nothing about which one matched.
      const [match] = store.read().filter(record => sameHash(record.token_hash, hash));
      return match && isLive(match) ? principalOf(match, workspaceId, 'token') : null;
    },
    expandRoles,
    async find(id, workspaceId) {
      const record = store.read().find(known => known.id === id);
      return record && isLive(record) ? principalOf(record, workspaceId, 'os') : null;
    },
  };
};

/** Ids the host gives itself; a registered principal that bore one could pass for the host. */
const reservedPrefixes = ['local:', 'sheaf:', 'assistant:', 'webhook:', 'hub:', 'oidc:', 'role:'];

const newRecord = (request: NewPrincipal, createdAt: string, tokenHash: string): PrincipalRecord => {
  const { id, kind, capabilities } = request;
  if (id === '' || id.length > 256 || /[\p{C}\s]/u.test(id))
    throw refused('id', 'A principal id is 1 to 256 characters without spaces or control characters.');
  const prefix = reservedPrefixes.find(reserved => id.toLowerCase().startsWith(reserved));
  if (prefix !== undefined) throw refused('id', `Ids that start with '${prefix}' belong to the host itself: choose another id.`);
  if (kind !== 'human' && kind !== 'agent' && kind !== 'service') {
    throw refused('kind', `Kind '${kind}' cannot be registered: use human, agent or service.`);
  }
  for (const granted of capabilities) {
    if (!isCapability(granted))
      throw refused('capabilities', `'${granted}' grants nothing: write scope:action, such as ssss:memory:* or write:event.`);
  }
  const { roles } = request;
  for (const role of roles ?? []) {
    const issue = role.includes('/') ? "A role is one name, without '/'." : checkPath(`roles/${role}/ROLE.md`);
    if (issue !== null) throw refused('roles', `'${role}' names no role: ${issue}`);
  }
  const expires = checkedInstant(request.expires_at ?? null);
  return {
    id,
    kind,
    capabilities: [...new Set(capabilities)],
    ...(roles === undefined || roles.length === 0 ? {} : { roles: [...new Set(roles)] }),
    created_at: createdAt,
    expires_at: expires,
    revoked_at: null,
    token_hash: tokenHash,
  };
};

const checkedInstant = (value: string | null): string | null => {
  if (value === null) return null;
  const time = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw refused('expires_at', `'${value}' is not an ISO 8601 instant, such as 2030-01-31T00:00:00Z.`);
  return new Date(time).toISOString();
};

const change = async (store: PrincipalStore, id: string, edit: (known: PrincipalRecord) => PrincipalRecord): Promise<PrincipalRecord> => {
  let changed: PrincipalRecord | undefined;
  await store.update(principals =>
    principals.map(known => {
      if (known.id !== id) return known;
      changed = edit(known);
      return changed;
    }),
  );
  if (changed === undefined)
    throw new VaultError('not_found', { path: id }, `No principal '${id}' is registered; \`sheaf principal ls\` lists them.`);
  return changed;
};

const summary = ({ id, kind, capabilities, roles, created_at, expires_at, revoked_at }: PrincipalRecord): PrincipalSummary => ({
  id,
  kind,
  capabilities,
  ...(roles === undefined ? {} : { roles }),
  created_at,
  expires_at,
  revoked_at,
});

const refused = (field: string, issue: string) => new VaultError('invalid_request', { issues: [{ field, issue }] }, issue);
