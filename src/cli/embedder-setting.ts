import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type EmbedderFile, EmbedderSettingsError, isLoopbackUrl, vaultEmbedder } from '#open-vault';
import { CliError, UsageError } from './cli-error.ts';
import type { CommandContext } from './command-context.ts';
import { visibleLine } from './output/terminal-text.ts';
import { findVaultRoot } from './vault-session.ts';

interface CommonFlags {
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  readonly batch?: number;
  /** `true` without a value. */
  readonly private?: string | true;
}

export interface EndpointFlags extends CommonFlags {
  readonly baseUrl?: string;
  readonly model?: string;
  readonly keyEnv?: string;
  readonly dimension?: number;
  readonly timeout?: number;
}

export interface LocalFlags extends CommonFlags {
  readonly local?: string;
  readonly pooling?: string;
  readonly dtype?: string;
  readonly library?: string;
}

/** Only the person at this terminal: the setting decides where the text of documents is sent. */
const ownFile = ({ globals }: CommandContext): EmbedderFile => {
  if (globals.as !== undefined || globals.principal !== undefined)
    throw new UsageError('only the person at this terminal chooses the embedding model: leave out --as and --principal');
  return vaultEmbedder({ root: findVaultRoot(globals) });
};

export const setEndpoint = async (context: CommandContext, flags: EndpointFlags & LocalFlags): Promise<void> => {
  refuseFlags(flags, ['pooling', 'dtype', 'library'], '--local');
  if (flags.model === undefined) throw new UsageError('name the model at the endpoint with --model');
  const origin = originOf(flags.baseUrl ?? '');
  await write(context, {
    kind: 'endpoint',
    base_url: flags.baseUrl,
    model: flags.model,
    key: flags.keyEnv === undefined ? null : { env: flags.keyEnv, origin },
    dimension: flags.dimension ?? null,
    private_to: consentTo(origin, flags.private),
    ...(flags.timeout === undefined ? {} : { timeout_seconds: flags.timeout }),
    ...commonSettings(flags),
  });
};

export const setLocalModel = async (context: CommandContext, flags: EndpointFlags & LocalFlags): Promise<void> => {
  refuseFlags(flags, ['model', 'keyEnv', 'dimension', 'timeout'], '--base-url');
  const directory = resolve(flags.local ?? '');
  if (!existsSync(directory)) throw new CliError('unreadable_input', `there is no directory '${directory}'`);
  await write(context, {
    kind: 'local',
    directory,
    private: flags.private !== undefined,
    ...(flags.pooling === undefined ? {} : { pooling: flags.pooling }),
    ...(flags.dtype === undefined ? {} : { dtype: flags.dtype }),
    ...(flags.library === undefined ? {} : { library: resolve(flags.library) }),
    ...commonSettings(flags),
  });
};

export const switchEmbedderOff = async (context: CommandContext): Promise<void> => {
  const file = ownFile(context);
  file.write(null);
  await context.printer.value({ state: 'off' });
  await context.printer.line('no embedding model: search works with words alone');
};

const write = async (context: CommandContext, settings: Readonly<Record<string, unknown>>): Promise<void> => {
  const { printer } = context;
  const file = ownFile(context);
  try {
    file.write(settings);
    const written = file.read();
    await printer.value(written);
  } catch (error) {
    if (error instanceof EmbedderSettingsError) throw new UsageError(error.message.replace(/^embedder\.json: /, ''));
    throw error;
  }
  await printer.line(`${printer.palette.good('set')}  ${visibleLine(file.path)}`);
  printer.note('next: `sheaf index embedder test`, then `sheaf index embed`');
};

const commonSettings = (flags: CommonFlags): Readonly<Record<string, unknown>> => ({
  ...(flags.queryPrefix === undefined ? {} : { query_prefix: flags.queryPrefix }),
  ...(flags.documentPrefix === undefined ? {} : { document_prefix: flags.documentPrefix }),
  ...(flags.batch === undefined ? {} : { batch_size: flags.batch }),
});

/** On this machine the flag is enough; whoever sends private text away says where to. */
const consentTo = (origin: string, consent: string | true | undefined): string | null => {
  if (consent === undefined) return null;
  if (consent === origin || (consent === true && isLoopbackUrl(new URL(origin)))) return origin;
  throw new UsageError(`private documents would be sent to ${origin}: if you want that, say --private ${origin}`);
};

const originOf = (baseUrl: string): string => {
  if (!URL.canParse(baseUrl)) throw new UsageError(`--base-url: '${baseUrl}' is no address, such as http://127.0.0.1:11434/v1`);
  return new URL(baseUrl).origin;
};

const refuseFlags = (flags: object, names: readonly string[], whose: string): void => {
  const wrong = names.find(name => (flags as Readonly<Record<string, unknown>>)[name] !== undefined);
  const dashed = wrong?.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
  if (dashed !== undefined) throw new UsageError(`--${dashed} does not belong to ${whose === '--local' ? '--base-url' : '--local'}`);
};
