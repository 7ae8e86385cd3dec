import type { CanonicalEvent, Principal } from '#adapter-contracts';
import type { PrincipalRegistry } from '#identity';
import type { Registry } from '#registry';
import { assistantSlug, authorCapabilities, isRuntimes, roleName, runRights, type WorkDocuments } from '#runtime';

interface RightsParts {
  readonly workspaceId: string;
  readonly registry: Registry;
  readonly principals: PrincipalRegistry;
  /** The event that last recorded a path. */
  lastEvent(path: string): Promise<CanonicalEvent | null>;
}

/**
 * The principal that a run acts as (readings: rights of a run): what the assistant's role grants, and no more than the authors of everything that orders
 * the work may do, nor than whoever caused it.
 */
export const runPrincipal = async (parts: RightsParts, documents: WorkDocuments): Promise<Principal> => {
  const { workspaceId, registry, principals } = parts;
  const { workflow, assistant, skills, origin } = documents;
  const current = currentRights(principals, workspaceId);
  const rightsOf = async (who: Pick<Principal, 'id' | 'capabilities'>): Promise<readonly string[]> =>
    authorCapabilities(who.capabilities, await current(who.id));
  const authorOf = async (document: { readonly path: string; readonly hash: string }): Promise<readonly string[]> => {
    const last = await parts.lastEvent(document.path);
    // Bytes that the log does not know have no author.
    return last === null || recordedHash(last) !== document.hash ? authorCapabilities(null, null) : rightsOf(last.principal);
  };
  const role = assistant === null ? null : roleName(assistant);
  const authors = await Promise.all([
    ...[workflow, assistant, ...skills].filter(document => document !== null).map(authorOf),
    ...origin.writers.map(rightsOf),
  ]);
  const causing = origin.firing?.requester ?? (origin.cause === null || isHosts(origin.cause) ? null : origin.cause.principal);
  return {
    id: assistant === null ? 'assistant:none' : `assistant:${assistantSlug(assistant.path)}`,
    kind: 'agent',
    workspaceIds: [workspaceId],
    capabilities: runRights(
      {
        role: role === null ? null : await principals.expandRoles([role]),
        authors,
        cause: causing === null ? null : await rightsOf(causing),
      },
      registry,
    ),
    authentication: { provider: 'sheaf', assurance: 'none' },
  };
};

/** What the host observed for itself gives and takes no rights; a webhook's text counts as from outside instead. */
const isHosts = (event: CanonicalEvent): boolean => isRuntimes(event) || event.principal.id.startsWith('webhook:');

const recordedHash = (event: CanonicalEvent): string | null => {
  if (event.action !== 'event') return event.after_hash;
  const { payload } = event;
  const hash = typeof payload === 'object' && payload !== null && 'after_hash' in payload ? payload.after_hash : null;
  return typeof hash === 'string' ? hash : null;
};

const currentRights =
  (principals: PrincipalRegistry, workspaceId: string) =>
  async (id: string): Promise<readonly string[] | 'unregistered' | null> => {
    if (!(await principals.list()).some(known => known.id === id)) return 'unregistered';
    return (await principals.find(id, workspaceId))?.capabilities ?? null;
  };
