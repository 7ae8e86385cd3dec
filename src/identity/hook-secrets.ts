import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '#adapter-contracts';
import { reasonOf } from '#errors';
import { readJson } from '#registry';
import { withFileLock } from './file-lock.ts';
import { ensurePrivateDirectory, writeFileDurably } from './machine-directory.ts';

/** A name under which senders of webhooks are believed; the secrets themselves are told once. */
export interface HookSecretSummary {
  readonly name: string;
  /** When each live secret was made, oldest first; one or two. */
  readonly created_at: readonly string[];
}

/** The secrets that sign webhooks (readings: webhooks), outside the vault. */
export interface HookSecrets {
  /** The live secrets of a name, none when it is unknown. */
  live(name: string): readonly string[];
  list(): readonly HookSecretSummary[];
  /** Makes a secret and gives it back, once. The one before stays live, so that a sender can be changed; an older one ends. */
  create(name: string): Promise<{ readonly name: string; readonly secret: string; readonly live: number }>;
  /** False when there was none. */
  remove(name: string): Promise<boolean>;
}

const secretShape = z.strictObject({ secret: z.string().min(16), created_at: z.string() });
const fileShape = z.strictObject({ version: z.literal(1), hooks: z.record(z.string(), z.array(secretShape).min(1).max(2)) });
type Hooks = z.infer<typeof fileShape>['hooks'];

/** Opens `hooks.json` of the machine state. Every look reads the file anew: a secret that was taken away ends at once. */
export const openHookSecrets = ({ stateDir, clock }: { readonly stateDir: string; readonly clock: Clock }): HookSecrets => {
  const file = join(stateDir, 'hooks.json');
  return createHookSecrets(clock, {
    read: () => readHooks(file),
    change: async work => {
      ensurePrivateDirectory(stateDir);
      return withFileLock(join(stateDir, 'hooks.lock'), () => {
        const { hooks, result } = work(readHooks(file));
        writeFileDurably(file, `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`);
        return result;
      });
    },
  });
};

/** The secrets of a vault in memory. */
export const createMemoryHookSecrets = (clock: Clock): HookSecrets => {
  let kept: Hooks = {};
  return createHookSecrets(clock, {
    read: () => kept,
    change: async work => {
      const { hooks, result } = work(kept);
      kept = hooks;
      return result;
    },
  });
};

interface HookFile {
  read(): Hooks;
  change<T>(work: (hooks: Hooks) => { readonly hooks: Hooks; readonly result: T }): Promise<T>;
}

const createHookSecrets = (clock: Clock, file: HookFile): HookSecrets => ({
  live(name) {
    const hooks = file.read();
    return Object.hasOwn(hooks, name) ? (hooks[name] ?? []).map(({ secret }) => secret) : [];
  },
  list: () => Object.entries(file.read()).map(([name, secrets]) => ({ name, created_at: secrets.map(({ created_at }) => created_at) })),
  create: name =>
    file.change(hooks => {
      const made = { secret: `whsec_${randomBytes(32).toString('base64url')}`, created_at: clock.now().toISOString() };
      const secrets = [...(Object.hasOwn(hooks, name) ? (hooks[name] ?? []) : []), made].slice(-2);
      return { hooks: { ...hooks, [name]: secrets }, result: { name, secret: made.secret, live: secrets.length } };
    }),
  remove: name =>
    file.change(hooks => ({
      hooks: Object.fromEntries(Object.entries(hooks).filter(([other]) => other !== name)),
      result: Object.hasOwn(hooks, name),
    })),
});

/** No file means no secrets; one that cannot be read must not look like that. */
const readHooks = (file: string): Hooks => {
  if (!existsSync(file)) return {};
  try {
    return fileShape.parse(readJson(readFileSync(file, 'utf8')).value).hooks;
  } catch (error) {
    throw new Error(`${file} cannot be read (${reasonOf(error)}): restore it, or delete it and make its secrets again`, { cause: error });
  }
};
