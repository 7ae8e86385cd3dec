import { z } from 'zod';
import { isLoopbackUrl } from './loopback.ts';

const line = z
  .string()
  .min(1)
  .max(500)
  .regex(/^\P{Cc}+$/u, 'must be one line of text');
const prefix = z.string().max(500).default('');
const baseUrl = z.string().superRefine((value, context) => {
  const problem = urlProblem(value);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const common = {
  /** Put before every question, as models of the e5 family want it (`query: `). */
  query_prefix: prefix,
  /** Put before every text of a document (`passage: `). */
  document_prefix: prefix,
  batch_size: z.number().int().min(1).max(2048).default(32),
};

const endpointShape = z.strictObject({
  kind: z.literal('endpoint'),
  base_url: baseUrl,
  model: line,
  /** Asked for in every request and required of every answer; null = whatever the model gives. */
  dimension: z.number().int().min(1).max(65_536).nullable().default(null),
  key: z
    .strictObject({ env: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable'), origin: line })
    .nullable()
    .default(null),
  timeout_seconds: z.number().min(1).max(3600).default(60),
  /** The origin that documents of private classes may be sent to (§11.9); null = none. */
  private_to: line.nullable().default(null),
  ...common,
});

const localShape = z.strictObject({
  kind: z.literal('local'),
  /** Holds `config.json`, `tokenizer.json` and `onnx/`. */
  directory: line,
  pooling: z.enum(['mean', 'cls', 'last_token']).default('mean'),
  /** Precision of the weights, as transformers.js names it; null = the best that the directory holds. */
  dtype: z
    .string()
    .regex(/^[a-z0-9]+$/)
    .nullable()
    .default(null),
  /** A directory in whose `node_modules` the library is installed; null = beside this package. */
  library: line.nullable().default(null),
  /** Whether documents of private classes are embedded (§11.9); their text stays on this machine. */
  private: z.boolean().default(false),
  ...common,
});

export type EndpointSettings = z.infer<typeof endpointShape>;
export type LocalSettings = z.infer<typeof localShape>;
/** Which embedding model this machine uses for a vault; `embedder.json` in the machine state, outside the vault. */
export type EmbedderSettings = EndpointSettings | LocalSettings;

/** `embedder.json`, or what was to become it, cannot be used. */
export class EmbedderSettingsError extends Error {
  override readonly name = 'EmbedderSettingsError';
}

/** Parses `embedder.json` strictly. Throws `EmbedderSettingsError` naming the first wrong place. */
export const parseEmbedderSettings = (json: string, file: string): EmbedderSettings => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new EmbedderSettingsError(`${file} is not JSON`, { cause: error });
  }
  return checkEmbedderSettings(value, file);
};

/** Completes settings with their defaults. Throws `EmbedderSettingsError`. */
export const checkEmbedderSettings = (value: unknown, file: string): EmbedderSettings => {
  const parsed = z.discriminatedUnion('kind', [endpointShape, localShape]).safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new EmbedderSettingsError(`${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not readable'}`);
  }
  const problem = parsed.data.kind === 'endpoint' ? endpointProblem(parsed.data) : null;
  if (problem !== null) throw new EmbedderSettingsError(`${file}: ${problem}`);
  return parsed.data;
};

/** Whether documents of private classes may be embedded with these settings. */
export const embedsPrivate = (settings: EmbedderSettings): boolean =>
  settings.kind === 'local' ? settings.private : settings.private_to === new URL(settings.base_url).origin;

const urlProblem = (value: string): string | null => {
  if (!URL.canParse(value)) return `'${value}' is no address, such as http://127.0.0.1:11434/v1`;
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') return 'must hold no user or password: name the key with --key-env';
  if (url.search !== '' || url.hash !== '') return 'must end with its path, without ? or #';
  return url.protocol === 'https:' || url.protocol === 'http:' ? null : 'must begin with https:// or http://';
};

/** What a plain connection must not carry to another machine. */
const endpointProblem = ({ base_url, key, private_to }: EndpointSettings): string | null => {
  const url = new URL(base_url);
  if (url.protocol === 'https:' || isLoopbackUrl(url)) return null;
  if (key !== null) return `base_url: a key is sent over https only (http only on this machine), not to ${url.origin}`;
  return private_to === null
    ? null
    : `base_url: private documents are sent over https only (http only on this machine), not to ${url.origin}`;
};
