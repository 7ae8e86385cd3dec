import type { Principal } from '#adapter-contracts';
import type { FrontmatterMap } from '#document';
import { expandRolePermissions } from '#policy';
import type { Registry } from '#registry';
import { isRole } from './role-expander.ts';

/** Turns a pre-0.9 role into a principal, or null when the role gives no rights. */
export type RoleConverter = (role: string, readRole: () => Promise<FrontmatterMap | null>) => Promise<Principal | null>;

/**
 * §6.6, pre-0.9 role compatibility: `system` is a system principal, `admin` holds everything, any other role holds the expanded permissions of
 * its document. A role without a document gives nothing; it is never promoted. Nobody authenticated these callers, and the principal says so.
 */
export const createRoleConverter =
  (workspaceId: string, registry: Registry): RoleConverter =>
  async (role, readRole) => {
    const base = {
      id: `role:${role}`,
      workspaceIds: [workspaceId],
      authentication: { provider: 'pre-0.9-role', assurance: 'none' },
    } as const;
    if (role === 'system') return { ...base, kind: 'system', capabilities: [] };
    if (role === 'admin') return { ...base, kind: 'service', capabilities: ['*:*'] };
    const data = await readRole();
    // Whoever may write some other type at that path must not be able to grant rights with it.
    if (data === null || !isRole(data, registry)) return null;
    const permissions = Array.isArray(data.permissions) ? data.permissions : [];
    const strings = permissions.filter(permission => typeof permission === 'string');
    return { ...base, kind: 'service', capabilities: expandRolePermissions(strings, registry) };
  };
