import { type CanonicalEvent, type EventStore, recordedState, type Vfs } from '#adapter-contracts';
import { checkPath, decodeUtf8, type FrontmatterMap, hashContent, parseDocument } from '#document';
import { expandRolePermissions, isInteractive, missingCapabilities } from '#policy';
import type { Registry } from '#registry';
import type { RoleMemory, RoleVersion } from './role-memory.ts';

/** What the documents of the named roles grant now. A role without a document that may be believed grants nothing. */
export type RoleExpander = (roles: readonly string[]) => Promise<readonly string[]>;

interface ExpanderSource {
  readonly vfs: Pick<Vfs, 'read'>;
  readonly events: Pick<EventStore, 'lastRecorded' | 'findById' | 'cursorAfter' | 'replay'>;
  readonly workspaceId: string;
  readonly registry: Registry;
  readonly memory: RoleMemory;
  /** False for a vault from elsewhere that nobody has trusted: its log could say anything. */
  readonly trusted: () => boolean;
}

/**
 * Expands `roles/<role>/ROLE.md` by the host alone, and only versions that a person wrote (decision 0010): the
 * last event of the document is by a human with interactive assurance, the bytes still hash to what it recorded, and that person held what
 * the role grants. Where the version of now fails, the last one that did not counts, as this machine remembers it; after a deletion nothing does.
 */
export const createRoleExpander = (source: ExpanderSource): RoleExpander => {
  const isLast = createLastWord(source);
  const expandOne = async (role: string): Promise<readonly string[]> => {
    const path = `roles/${role}/ROLE.md`;
    if (role.includes('/') || checkPath(path) !== null) return [];
    const { last, version } = await believableVersion(source, path);
    if (version === 'deleted') {
      source.memory.forget(path);
      return [];
    }
    if (version !== null) {
      source.memory.remember(path, version);
      return version.capabilities;
    }
    const remembered = source.memory.recall(path);
    return remembered !== null && last !== null && (await isLast(path, remembered.event_id, last)) ? remembered.capabilities : [];
  };
  return async roles => {
    if (roles.length === 0 || !source.trusted()) return [];
    return [...new Set((await Promise.all(roles.map(expandOne))).flat())];
  };
};

interface LatestVersion {
  /** The event that wrote the latest version; null when the log knows none. */
  readonly last: string | null;
  readonly version: RoleVersion | 'deleted' | null;
}

const believableVersion = async (source: ExpanderSource, path: string): Promise<LatestVersion> => {
  const recorded = await source.events.lastRecorded(source.workspaceId, path);
  if (recorded === null) return { last: null, version: null };
  const { event_id: last, hash } = recorded;
  // Taking rights away needs no proof: a role that is gone from the log grants nothing, whoever removed it.
  if (hash === null) return { last, version: 'deleted' };
  const event = await source.events.findById(last);
  if (event === null || !isInteractive(event.principal) || recordedState(event)?.hash !== hash) return { last, version: null };
  const stored = await source.vfs.read(path).catch(() => null);
  if (stored === null || hashContent(stored.bytes) !== hash) return { last, version: null };
  return { last, version: { event_id: last, hash, capabilities: grantedBy(stored.bytes, event, source.registry) } };
};

/**
 * Whether a remembered version is still the last word of a person: since then nobody removed the role, and no person wrote another version that
 * this machine never looked at and may have granted less. An answer holds until the role is written again.
 */
const createLastWord = ({ events, workspaceId }: ExpanderSource): ((path: string, since: string, last: string) => Promise<boolean>) => {
  const answers = new Map<string, { readonly of: string; readonly answer: boolean }>();
  const look = async (path: string, since: string): Promise<boolean> => {
    const cursor = await events.cursorAfter(since);
    // A log that does not hold the remembered version is another log.
    if (cursor === null) return false;
    for await (const { event } of events.replay({ workspaceId, cursor })) {
      const state = event.subject === path ? recordedState(event) : null;
      if (state !== null && (state.hash === null || isInteractive(event.principal))) return false;
    }
    return true;
  };
  return async (path, since, last) => {
    const of = `${since} ${last}`;
    const known = answers.get(path);
    if (known?.of === of) return known.answer;
    const answer = await look(path, since);
    answers.set(path, { of, answer });
    return answer;
  };
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
