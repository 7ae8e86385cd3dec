import { z } from 'zod';
import type { Clock } from '#adapter-contracts';
import { parseSecretFile } from './parse-secret-file.ts';
import type { StateFile } from './state-file.ts';

/** A secret without its value. */
interface SecretSummary {
  readonly name: string;
  /** The one origin that it is sent to. */
  readonly origin: string;
  readonly created_at: string;
}

/** Keys of models and services (`secrets.json`), outside the vault, each for one origin (readings: models). */
export interface Secrets {
  list(): readonly SecretSummary[];
  /** The value, for a request to `origin`. Throws an Error that names the secret, never its value, when there is none or it is for another origin. */
  read(name: string, origin: string): string;
  /** False when there was none before. */
  set(name: string, secret: { readonly origin: string; readonly value: string }): Promise<boolean>;
  /** False when there was none. */
  remove(name: string): Promise<boolean>;
}

const secretShape = z.strictObject({ origin: z.string(), value: z.string().min(1), created_at: z.string() });
const fileShape = z.strictObject({ version: z.literal(1), secrets: z.record(z.string(), secretShape) });
type SecretTable = z.infer<typeof fileShape>['secrets'];

export const createSecrets = (file: StateFile, clock: Clock): Secrets => {
  const read = (): SecretTable => parse(file.read(), file.path);
  const change = async (edit: (secrets: SecretTable) => SecretTable): Promise<void> =>
    file.change(text => `${JSON.stringify({ version: 1, secrets: edit(parse(text, file.path)) }, null, 2)}\n`);
  return {
    list: () => Object.entries(read()).map(([name, { origin, created_at }]) => ({ name, origin, created_at })),
    read(name, origin) {
      const secrets = read();
      const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (secret === undefined) throw new Error(`no secret '${name}' was entered on this machine: \`sheaf secret set\``);
      if (secret.origin !== origin) throw new Error(`the secret '${name}' was entered for ${secret.origin} and is not sent to ${origin}`);
      return secret.value;
    },
    async set(name, { origin, value }) {
      let known = false;
      await change(secrets => {
        known = Object.hasOwn(secrets, name);
        return { ...secrets, [name]: { origin, value, created_at: clock.now().toISOString() } };
      });
      return known;
    },
    async remove(name) {
      let known = false;
      await change(secrets => {
        known = Object.hasOwn(secrets, name);
        return Object.fromEntries(Object.entries(secrets).filter(([other]) => other !== name));
      });
      return known;
    },
  };
};

/** No file means no secrets; one that cannot be read must not look like that. */
const parse = (text: string | null, path: string): SecretTable =>
  text === null ? {} : parseSecretFile(text, { path, shape: fileShape, remedy: 'enter its secrets again' }).secrets;
