import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { reasonOf } from '#errors';
import type { RunningServer } from '#server';
import { CliError, UsageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { collect, parseWhole } from '../option-values.ts';
import type { Bind } from '../runner.ts';
import { openInBrowser } from '../serve/open-in-browser.ts';
import { untilTold } from '../until-told.ts';

interface ServeFlags {
  readonly host: string;
  readonly port: number;
  readonly open: boolean;
  readonly daemon: boolean;
  readonly workers: number;
  readonly insecure?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly origin?: readonly string[];
}

/** `sheaf serve`: the vault over HTTP, live events and MCP, until it is interrupted (http: calls). */
export const addServeCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('serve')
    .summary('serve the vault over HTTP and MCP')
    .description(
      'Serves the vault over HTTP and MCP until Ctrl-C, on this machine only unless --host says otherwise. Prints a link for your browser that works once, within two minutes; Enter prints another. Programs and agents use the tokens of `sheaf principal add`. Follows the files of the vault meanwhile: hand edits are found without asking, and adopted where workspace.json says so. The log goes to standard error, one JSON object per line; --quiet leaves only warnings.',
    )
    .option('--host <H>', 'the address to listen on; beyond this machine it needs TLS or --insecure', '127.0.0.1')
    .option('--port <N>', 'the port; 0 takes one that is free', parsePort, 4177)
    .option('--no-open', 'do not open the browser')
    .option('--no-daemon', 'fire no triggers and do no tasks beside the server')
    .option('--workers <N>', 'how many tasks the daemon does at once', parseWhole(64), 2)
    .option('--tls-cert <FILE>', 'certificate chain as PEM, with --tls-key')
    .option('--tls-key <FILE>', 'its private key as PEM')
    .option('--insecure', 'speak plain HTTP beyond this machine; everybody on the way can read tokens and documents')
    .option('--origin <URL>', 'another origin under which the server is reached, such as that of a proxy; may be repeated', collect)
    .action(bind((context, flags: ServeFlags) => serve(context, flags), { finishes: true }));
  withExamples(command, [
    'sheaf serve',
    'sheaf serve --port 8080 --no-open',
    'sheaf serve --no-open --origin https://sheaf.example.org',
    'sheaf serve --host 0.0.0.0 --tls-cert chain.pem --tls-key key.pem --origin https://sheaf.example.org:4177',
  ]);
};

const serve = async (context: CommandContext, flags: ServeFlags): Promise<void> => {
  const { printer, signal } = context;
  const origins = (flags.origin ?? []).map(parseOrigin);
  const tls = readTls(flags);
  const vault = await context.vault();
  const { startServer, InsecureHostError, OidcSettingsError } = await import('#server');
  const told = untilTold(signal);
  let server: RunningServer;
  try {
    server = await startServer({
      vault,
      host: flags.host,
      port: flags.port,
      origins,
      insecure: flags.insecure === true,
      log: process.stderr,
      logLevel: printer.quiet ? 'warn' : 'info',
      ...(tls === undefined ? {} : { tls }),
      ...(flags.daemon ? { workers: flags.workers } : {}),
    });
  } catch (error) {
    if (error instanceof InsecureHostError) throw new UsageError(`${error.message} Give --tls-cert and --tls-key, or --insecure.`);
    if (error instanceof OidcSettingsError) throw new CliError('identity_provider_invalid', error.message, { cause: error });
    throw new CliError('cannot_listen', `cannot serve at ${flags.host}, port ${flags.port}: ${reasonOf(error)}`, { cause: error });
  }
  try {
    await announce(context, server, flags, told.signal);
    await aborted(told.signal);
  } finally {
    // A second SIGTERM does not wait.
    told.dispose();
    process.stdin.pause();
    await server.close();
  }
};

const announce = async (context: CommandContext, server: RunningServer, flags: ServeFlags, signal: AbortSignal): Promise<void> => {
  const { printer } = context;
  const link = server.link();
  await printer.value({ url: server.url, link, origins: server.origins, pid: process.pid });
  await printer.line(`serving at ${printer.palette.strong(server.url)}`);
  await printer.line(`for your browser, once, within two minutes: ${link}`);
  const watched = (await context.vault()).activity().watching;
  if (watched?.mode === 'scanning')
    printer.note(`changes of files are not reported (${watched.reason}): the vault is looked through every few seconds`);
  if (process.stdin.isTTY !== true) return;
  if (flags.open && !printer.json) openInBrowser(link, (await context.vault()).root, signal);
  printer.note('Enter prints another link; Ctrl-C ends the server');
  process.stdin.on('data', () => void printer.line(server.link()));
  signal.addEventListener('abort', () => process.stdin.pause(), { once: true });
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const parsePort = (text: string): number =>
  text === '0' ? 0 : parseWhole(65_535, 'a whole number from 1 to 65535, or 0 for a port that is free')(text);

const parseOrigin = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin) return url.origin;
  throw new UsageError(`--origin '${text}' is no origin: write scheme, host and port only, such as https://sheaf.example.org`);
};

const readTls = ({ tlsCert, tlsKey }: ServeFlags): { readonly cert: string; readonly key: string } | undefined => {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw new UsageError('--tls-cert and --tls-key belong together');
  return { cert: readPem(tlsCert), key: readPem(tlsKey) };
};

const readPem = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError('unreadable_input', `cannot read '${file}': ${reasonOf(error)}`, { cause: error });
  }
};
