import { join } from 'node:path';
import type { Command } from 'commander';
import { isVaultError, reasonOf } from '#errors';
import { UsageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { agentCaller } from '../mcp/agent-caller.ts';
import { clientConfig, isMcpClient, mcpClients } from '../mcp/client-config.ts';
import { visibleText } from '../output/terminal-text.ts';
import { packageRoot } from '../package-root.ts';
import type { Bind } from '../runner.ts';
import { untilTold } from '../until-told.ts';

interface McpOptions {
  readonly printConfig?: string;
  readonly url?: string;
}

/** `sheaf mcp`: the vault for an agent's client, at standard input and output. */
export const addMcpCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('mcp')
    .summary('serve an agent over MCP at standard input and output')
    .description(
      'Speaks MCP at standard input and output until the input ends. Acts as agent:CLIENT: reads structural types, writes memory, tasks, runs, threads, pages and events. --as names another agent, or one that is registered with other rights. With --print-config it prints what to put into the file of a client instead.',
    )
    .option('--print-config <CLIENT>', `print the configuration of a client: ${Object.keys(mcpClients).join(', ')}`)
    .option('--url <URL>', 'with --print-config: for a running `sheaf serve` instead of a server of its own')
    .action(
      bind(
        async (context, options: McpOptions) => {
          const { printConfig, url } = options;
          if (printConfig !== undefined) return printClientConfig(context, printConfig, url);
          if (url !== undefined) throw new UsageError('--url belongs to --print-config');
          await serveStdio(context);
        },
        { finishes: true },
      ),
    );
  withExamples(command, ['sheaf mcp --print-config claude-code', 'sheaf mcp --as agent:writer', 'sheaf mcp --vault ~/my-vault']);
};

const serveStdio = async (context: CommandContext): Promise<void> => {
  const vault = await context.vault();
  const caller = await agentCaller(vault, context.globals);
  // Loaded late: the protocol's library would make every other command slower.
  const { createMcpServer, createStdioTransport } = await import('#server/mcp');
  const told = untilTold(context.signal);
  const transport = createStdioTransport({ input: untilInterrupted(told.signal), output: process.stdout });
  const onError = (error: unknown): void => context.printer.complain(visibleText(`sheaf: a call failed: ${causeOf(error)}`));
  try {
    await createMcpServer({ vault, caller, onError }).connect(transport);
    if (process.stdin.isTTY) context.printer.note('speaking MCP at this terminal; end with Ctrl-D. See `sheaf help mcp`');
    await transport.finished;
  } finally {
    told.dispose();
  }
};

const causeOf = (error: unknown): string => {
  const cause = isVaultError(error) && error.cause !== undefined ? ` (${reasonOf(error.cause)})` : '';
  return `${reasonOf(error)}${cause}`;
};

// When interrupted, or told to end, the input ends where it is: what was taken is answered, nothing more is read.
async function* untilInterrupted(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stop = (): void => void process.stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of process.stdin) yield chunk as Uint8Array;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const printClientConfig = async (context: CommandContext, client: string, url: string | undefined): Promise<void> => {
  const { printer, globals } = context;
  if (!isMcpClient(client)) throw new UsageError(`no configuration is known for '${client}'; known: ${Object.keys(mcpClients).join(', ')}`);
  const config = clientConfig(client, url === undefined ? await ownServer(context) : { url: endpointOf(url) });
  if (config === null) throw new UsageError(`the file of ${client} knows no servers over HTTP; leave --url out`);
  await printer.value({ client, file: config.file, config: config.text });
  if (!printer.json) await printer.raw(config.text);
  printer.note(`put this into ${config.file}${url === undefined ? '' : ', and the token into SHEAF_TOKEN where the client asks for it'}`);
  if (url === undefined && globals.as === undefined)
    printer.note('the client acts as agent:CLIENT; --as names it, or an agent with other rights');
};

/** This program, by full paths: clients with a window start without the shell's PATH and somewhere else. */
const ownServer = async ({ vault, globals }: CommandContext) => {
  const { root } = await vault();
  const { SHEAF_STATE_DIR: stateDir } = process.env;
  const identity = globals.as === undefined ? [] : ['--as', globals.as];
  return {
    command: process.execPath,
    args: [join(packageRoot, 'bin', 'sheaf.cjs'), 'mcp', '--vault', root ?? '', ...identity],
    ...(stateDir === undefined ? {} : { env: { SHEAF_STATE_DIR: stateDir } }),
  };
};

const endpointOf = (url: string): string => {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new UsageError('--url is the address of a server, such as http://127.0.0.1:4177');
  return parsed.pathname === '/' ? new URL('/mcp', parsed).href : parsed.href;
};
