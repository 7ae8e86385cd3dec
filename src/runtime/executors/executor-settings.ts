import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { compilePattern } from '#registry';
import { type Budget, defaultCeilings } from './assistant/budget.ts';

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, . _ and -, beginning with a letter or digit');
const line = z
  .string()
  .min(1)
  .max(2000)
  .regex(/^\P{Cc}+$/u, 'must be one line of text');
const argument = z
  .string()
  .min(1)
  .max(8000)
  .regex(/^[^\0]+$/, 'must hold no NUL');
const pattern = z.string().max(500).refine(isPattern, 'must be a regular expression that every value can be tested by in linear time');
const slots = z.record(z.string().regex(/^\w{1,50}$/), z.strictObject({ pattern })).default({});

const commandShape = z.strictObject({
  /** The program by its absolute path, then its arguments; `{name}` in an argument is one value of the task. */
  argv: z.array(argument).min(1).max(100),
  /** What a value may be; a slot that is not named here takes words without a slash. */
  slots,
  timeout_seconds: z.number().min(1).max(3600).default(60),
  max_output_bytes: z
    .number()
    .int()
    .min(0)
    .max(1024 * 1024)
    .default(64 * 1024),
});

const serviceShape = z.strictObject({
  origin: z
    .string()
    .refine(value => URL.canParse(value) && new URL(value).origin === value, 'must be an origin, such as https://api.example'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  /** `{name}` is one value of the task, percent-encoded. */
  path: z
    .string()
    .max(2000)
    .regex(/^\/[\x21-\x7e]*$/, 'must begin with / and hold no spaces'),
  slots,
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.union([line, z.strictObject({ secret: name })])).default({}),
  /** `params`: the task's values as JSON. */
  body: z.enum(['params', 'none']).default('none'),
  timeout_seconds: z.number().min(1).max(600).default(30),
  max_bytes: z
    .number()
    .int()
    .min(0)
    .max(4 * 1024 * 1024)
    .default(256 * 1024),
  /** The service runs on this machine; without it no address of this machine or of a private network is called. */
  loopback: z.boolean().default(false),
});

const budgetShape = z.strictObject({
  steps: z.number().int().min(1).max(1000).default(defaultCeilings.steps),
  tokens: z.number().int().min(1).max(100_000_000).default(defaultCeilings.tokens),
  seconds: z
    .number()
    .min(1)
    .max(24 * 3600)
    .default(defaultCeilings.seconds),
});

const fileShape = z.strictObject({
  version: z.literal(1),
  /** The most that a run of an assistant may use up. */
  assistant: budgetShape.default(defaultCeilings),
  commands: z.record(name, commandShape).default({}),
  services: z.record(name, serviceShape).default({}),
});

export type CommandSetting = z.infer<typeof commandShape>;
export type ServiceSetting = z.infer<typeof serviceShape>;
/** What this machine lets the vault's work do beside the vault; `executors.json` in the machine state. */
export interface ExecutorSettings {
  readonly assistant: Budget;
  readonly commands: Readonly<Record<string, CommandSetting>>;
  readonly services: Readonly<Record<string, ServiceSetting>>;
}

/** `executors.json`, or what was to become a part of it, cannot be used. */
export class ExecutorSettingsError extends Error {
  override readonly name = 'ExecutorSettingsError';
}

/** Nothing outside the vault, and the usual ceilings. */
export const noExecutorSettings: ExecutorSettings = { assistant: defaultCeilings, commands: {}, services: {} };

/** Completes settings with their defaults. Throws `ExecutorSettingsError` naming the first wrong place of `file`. */
export const checkExecutorSettings = (value: unknown, file: string): ExecutorSettings => {
  const parsed = fileShape.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ExecutorSettingsError(`${file}: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not readable'}`);
  }
  const { version: _, ...settings } = parsed.data;
  const problem = [
    ...Object.entries(settings.commands).map(([known, command]) => placed(`commands.${known}`, commandProblem(command))),
    ...Object.entries(settings.services).map(([known, service]) => placed(`services.${known}`, serviceProblem(service))),
  ].find(found => found !== null);
  if (problem !== undefined) throw new ExecutorSettingsError(`${file}: ${problem}`);
  return settings;
};

export const printExecutorSettings = (settings: ExecutorSettings): string => `${JSON.stringify({ version: 1, ...settings }, null, 2)}\n`;

const placed = (place: string, problem: string | null): string | null => (problem === null ? null : `${place}.${problem}`);

const commandProblem = ({ argv, slots: known }: CommandSetting): string | null => {
  const [program = '', ...rest] = argv;
  // No search path, no slot: what is started is what the person wrote.
  if (!isAbsolute(program) || program.includes('{')) return `argv.0: '${program}' is no absolute path of a program`;
  return unusedSlot(known, rest.join(' '));
};

const serviceProblem = ({ origin, loopback, path, slots: known, headers }: ServiceSetting): string | null => {
  const { protocol } = new URL(origin);
  if (protocol !== 'https:' && !(protocol === 'http:' && loopback))
    return `origin: ${origin} is called over https only (http only with loopback)`;
  const header = Object.keys(headers).find(key => reservedHeaders.has(key.toLowerCase()));
  if (header !== undefined) return `headers.${header}: is set by the connection itself`;
  return path.includes('#') ? 'path: must not hold #' : unusedSlot(known, path);
};

const reservedHeaders = new Set(['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'te', 'trailer', 'expect']);

const unusedSlot = (known: CommandSetting['slots'], template: string): string | null => {
  const unused = Object.keys(known).find(slot => !template.includes(`{${slot}}`));
  return unused === undefined ? null : `slots.${unused}: there is no {${unused}}`;
};

function isPattern(text: string): boolean {
  try {
    compilePattern(text);
    return true;
  } catch {
    return false;
  }
}
