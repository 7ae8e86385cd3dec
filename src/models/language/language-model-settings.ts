import { z } from 'zod';
import { isLoopbackUrl } from '../loopback.ts';

const line = z
  .string()
  .min(1)
  .max(500)
  .regex(/^\P{Cc}+$/u, 'must be one line of text');

const origin = z
  .string()
  .refine(value => URL.canParse(value) && new URL(value).origin === value, 'must be an origin, such as https://api.example');

/** Where the key of a model is read from, and the one origin that it is sent to. */
const keyShape = z.union([
  z.strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable'), origin }),
  z.strictObject({ secret: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,119}$/, 'must be the name of a secret'), origin }),
]);

/** Names that documents of the vault use for it, beside its own and the provider's; `*` = every name that nothing else has. */
const standsFor = z.array(line).max(100).default([]);

const hostedShape = z.strictObject({
  provider: z.enum(['openai-compatible', 'anthropic']),
  base_url: z.string(),
  /** What the provider calls it. */
  model: line,
  key: keyShape.nullable().default(null),
  timeout_seconds: z.number().min(1).max(3600).default(120),
  for: standsFor,
});

const scriptedShape = z.strictObject({
  provider: z.literal('scripted'),
  /** An absolute path. */
  script: line,
  for: standsFor,
});

const settingShape = z.discriminatedUnion('provider', [hostedShape, scriptedShape]);

const fileShape = z.strictObject({
  version: z.literal(1),
  models: z.record(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}$/, 'must be letters, digits, . _ : @ and -, beginning with a letter or digit'),
    settingShape,
  ),
});

export type HostedModelSetting = z.infer<typeof hostedShape>;
export type ScriptedModelSetting = z.infer<typeof scriptedShape>;
/** How this machine reaches one language model. */
export type ModelSetting = HostedModelSetting | ScriptedModelSetting;
/** `models.json` of the machine state, outside the vault. */
export type ModelSettings = Readonly<Record<string, ModelSetting>>;
export type ModelKeySource = z.infer<typeof keyShape>;

/** `models.json`, or what was to become a part of it, cannot be used. */
export class ModelSettingsError extends Error {
  override readonly name = 'ModelSettingsError';
}

/** Parses `models.json` strictly. Throws `ModelSettingsError` naming the first wrong place. */
export const parseModelSettings = (json: string, file: string): ModelSettings => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new ModelSettingsError(`${file} is not JSON`, { cause: error });
  }
  return checkModelSettings(value, file);
};

/** The same for a value. Throws `ModelSettingsError`. */
export const checkModelSettings = (value: unknown, file: string): ModelSettings => {
  const parsed = fileShape.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ModelSettingsError(`${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not readable'}`);
  }
  for (const [name, setting] of Object.entries(parsed.data.models)) {
    const problem = setting.provider === 'scripted' ? null : addressProblem(setting);
    if (problem !== null) throw new ModelSettingsError(`${file}: models.${name}.${problem}`);
  }
  return parsed.data.models;
};

export const printModelSettings = (models: ModelSettings): string => `${JSON.stringify({ version: 1, models }, null, 2)}\n`;

/** The origin that a model is asked at; null for one that plays back a script. */
export const originOf = (setting: ModelSetting): string | null =>
  setting.provider === 'scripted' ? null : new URL(setting.base_url).origin;

const addressProblem = ({ base_url, key }: HostedModelSetting): string | null => {
  if (!URL.canParse(base_url)) return `base_url: '${base_url}' is no address, such as http://127.0.0.1:11434/v1`;
  const url = new URL(base_url);
  if (url.username !== '' || url.password !== '') return 'base_url: must hold no user or password: name the key with --key-env';
  if (url.search !== '' || url.hash !== '') return 'base_url: must end with its path, without ? or #';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'base_url: must begin with https:// or http://';
  // What a vault holds is private; a plain connection shows it to everybody on the way.
  if (url.protocol === 'http:' && !isLoopbackUrl(url))
    return `base_url: prompts and keys are sent over https only (http only on this machine), not to ${url.origin}`;
  if (key !== null && key.origin !== url.origin)
    return `key: was entered for ${key.origin} and is not sent to ${url.origin}: set the model again, naming the key`;
  return null;
};
