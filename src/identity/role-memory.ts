import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from '#registry';
import { writeStateFile } from './machine-directory.ts';

/** A version of a role that a person wrote, with what it grants. */
export interface RoleVersion {
  readonly event_id: string;
  readonly hash: string;
  readonly capabilities: readonly string[];
}

/** The last believable version of each role, kept outside the vault: what stands there could be changed along with the role. */
export interface RoleMemory {
  recall(path: string): RoleVersion | null;
  remember(path: string, version: RoleVersion): void;
  forget(path: string): void;
}

const version = z.strictObject({ event_id: z.string(), hash: z.string(), capabilities: z.array(z.string()) });
const shape = z.strictObject({ version: z.literal(1), roles: z.record(z.string(), version) });

/** Opens `roles.json` in the machine state; nothing is created before the first role is expanded. */
export const openRoleMemory = (stateDir: string): RoleMemory => {
  const file = join(stateDir, 'roles.json');
  return createRoleMemory({
    read: () => readRoles(file),
    write: roles => {
      try {
        writeStateFile(file, `${JSON.stringify({ version: 1, roles }, null, 2)}\n`);
      } catch {
        // What cannot be remembered still counts now; whether something older does is asked of the log each time.
      }
    },
  });
};

/** The memory of a vault that lives as long as the process. */
export const createMemoryRoleMemory = (): RoleMemory => {
  let roles: Readonly<Record<string, RoleVersion>> = {};
  return createRoleMemory({ read: () => roles, write: next => (roles = next) });
};

type Roles = Readonly<Record<string, RoleVersion>>;

const createRoleMemory = (store: { read(): Roles; write(roles: Roles): void }): RoleMemory => ({
  recall: path => entryOf(store.read(), path),
  remember(path, next) {
    const roles = store.read();
    const known = entryOf(roles, path);
    // Two processes that write at once keep one of two versions that are both believable; the next look mends the other.
    if (known?.event_id !== next.event_id || known.hash !== next.hash) store.write({ ...roles, [path]: next });
  },
  forget(path) {
    const roles = store.read();
    if (entryOf(roles, path) === null) return;
    store.write(Object.fromEntries(Object.entries(roles).filter(([known]) => known !== path)));
  },
});

const entryOf = (roles: Roles, path: string): RoleVersion | null => (Object.hasOwn(roles, path) ? (roles[path] ?? null) : null);

/** What cannot be read is not remembered: fewer rights, never more. */
const readRoles = (file: string): Roles => {
  if (!existsSync(file)) return {};
  try {
    return shape.parse(readJson(readFileSync(file, 'utf8')).value).roles;
  } catch {
    return {};
  }
};
