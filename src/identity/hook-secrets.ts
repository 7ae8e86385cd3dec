import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#adapter-contracts';
import { parseSecretFile } from './parse-secret-file.ts';
import type { StateFile } from './state-file.ts';

/** A name under which senders of webhooks are believed; the secrets themselves are told once. */
interface HookSecretSummary {
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

/** Over `hooks.json`, which is read anew for every look: a secret that was taken away ends at once. */
export const createHookSecrets = (file: StateFile, clock: Clock): HookSecrets => {
  const read = (): Hooks => parse(file.read(), file.path);
  const change = (edit: (hooks: Hooks) => Hooks): Promise<void> =>
    file.change(text => `${JSON.stringify({ version: 1, hooks: edit(parse(text, file.path)) }, null, 2)}\n`);
  return {
    live: name => secretsOf(read(), name).map(({ secret }) => secret),
    list: () => Object.entries(read()).map(([name, secrets]) => ({ name, created_at: secrets.map(({ created_at }) => created_at) })),
    async create(name) {
      const made = { secret: `whsec_${randomBytes(32).toString('base64url')}`, created_at: clock.now().toISOString() };
      let live = 0;
      await change(hooks => {
        const secrets = [...secretsOf(hooks, name), made].slice(-2);
        live = secrets.length;
        return { ...hooks, [name]: secrets };
      });
      return { name, secret: made.secret, live };
    },
    async remove(name) {
      let known = false;
      await change(hooks => {
        known = Object.hasOwn(hooks, name);
        return Object.fromEntries(Object.entries(hooks).filter(([other]) => other !== name));
      });
      return known;
    },
  };
};

const secretsOf = (hooks: Hooks, name: string): Hooks[string] => (Object.hasOwn(hooks, name) ? (hooks[name] ?? []) : []);

/** No file means no secrets; one that cannot be read must not look like that. */
const parse = (text: string | null, path: string): Hooks =>
  text === null ? {} : parseSecretFile(text, { path, shape: fileShape, remedy: 'make its secrets again' }).hooks;
