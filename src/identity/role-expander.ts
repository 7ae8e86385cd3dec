import { type CanonicalEvent, type EventStore, recordedState, type Vfs } from '#adapter-contracts';
import { checkPath, decodeUtf8, type FrontmatterMap, hashContent, parseDocument } from '#document';
import { expandRolePermissions, isInteractive, missingCapabilities } from '#policy';
import type { Registry } from '#registry';
import type { RoleMemory, RoleVersion } from './role-memory.ts';

/** What the documents of the named roles grant now. A role without a document that may be believed grants nothing. */
export type RoleExpander = (roles: readonly string[]) => Promise<readonly string[]>;

interface ExpanderSource {
  readonly vfs: Pick<Vfs, 'read'>;
  readonly events: Pick<EventStore, 'lastRecorded' | 'findById'>;
  readonly workspaceId: string;
  readonly registry: Registry;
  readonly memory: RoleMemory;
  /** False for a vault from elsewhere that nobody has trusted: its log could say anything. */
  readonly trusted: () => boolean;
}

/**
 * Expands `roles/<role>/ROLE.md` by the host alone, and only versions that a person wrote (security: rights that cannot be talked into being): the
 * last event of the document is by a human with interactive assurance, the bytes still hash to what it recorded, and that person held what
 * the role grants. Where the version of now fails, the last one that did not counts, as this machine remembers it; after a deletion nothing does.
 */
export const createRoleExpander = (source: ExpanderSource): RoleExpander => {
  const expandOne = async (role: string): Promise<readonly string[]> => {
    const path = `roles/${role}/ROLE.md`;
    if (role.includes('/') || checkPath(path) !== null) return [];
    const now = await believableVersion(source, path);
    if (now === 'deleted') {
      source.memory.forget(path);
      return [];
    }
    if (now !== null) source.memory.remember(path, now);
    return (now ?? source.memory.recall(path))?.capabilities ?? [];
  };
  return async roles => {
    if (roles.length === 0 || !source.trusted()) return [];
    return [...new Set((await Promise.all(roles.map(expandOne))).flat())];
  };
};

const believableVersion = async (source: ExpanderSource, path: string): Promise<RoleVersion | 'deleted' | null> => {
  const last = await source.events.lastRecorded(source.workspaceId, path);
  if (last === null) return null;
  // Taking rights away needs no proof: a role that is gone from the log grants nothing, whoever removed it.
  if (last.hash === null) return 'deleted';
  const event = await source.events.findById(last.event_id);
  if (event === null || !isInteractive(event.principal) || recordedState(event)?.hash !== last.hash) return null;
  const stored = await source.vfs.read(path).catch(() => null);
  if (stored === null || hashContent(stored.bytes) !== last.hash) return null;
  return { event_id: last.event_id, hash: last.hash, capabilities: grantedBy(stored.bytes, event, source.registry) };
};

/** The role's permissions, as far as its writer held them. */
const grantedBy = (bytes: Uint8Array, { principal }: CanonicalEvent, registry: Registry): readonly string[] => {
  const parsed = parseDocument(decodeUtf8(bytes));
  const data = parsed.kind === 'document' ? parsed.document.data : null;
  // Whoever may write some other type at that path must not be able to grant rights with it.
  if (data === null || !isRole(data, registry)) return [];
  const permissions = Array.isArray(data.permissions) ? data.permissions : [];
  const expanded = expandRolePermissions(
    permissions.filter(permission => typeof permission === 'string'),
    registry,
  );
  return expanded.filter(capability => missingCapabilities(principal.capabilities, [capability]).length === 0);
};

export const isRole = ({ type }: FrontmatterMap, registry: Registry): boolean => {
  const qualified = typeof type === 'string' ? registry.resolve(type)?.qualified : undefined;
  return qualified === 'ssss:role' || qualified === 'ssss:security_role';
};
