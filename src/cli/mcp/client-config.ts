/** How a client starts a server of its own at its standard input and output. */
export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A client's configuration, and where it belongs. */
export interface ClientConfig {
  readonly file: string;
  readonly text: string;
}

interface McpClient {
  readonly file: string;
  readonly stdio: (server: StdioServer) => unknown;
  /** Null where the client's file knows no servers over HTTP. */
  readonly http: ((url: string) => unknown) | null;
  readonly print: (config: unknown) => string;
}

const printJson = (config: unknown): string => `${JSON.stringify(config, null, 2)}\n`;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
/** `${name}`, which most clients replace by the variable of that name when they start. */
const variable = (name: string): string => `$\{${name}}`;
const servers = (server: unknown) => ({ mcpServers: { sheaf: server } });

/** The clients that people use, as their own documentation describes their files. None of the snippets holds a token: it is read from SHEAF_TOKEN. */
export const mcpClients = {
  'claude-code': {
    file: '.mcp.json in the project',
    stdio: server => servers({ type: 'stdio', ...server }),
    http: url => servers({ type: 'http', url, headers: bearer(variable('SHEAF_TOKEN')) }),
    print: printJson,
  },
  'claude-desktop': { file: 'claude_desktop_config.json', stdio: servers, http: null, print: printJson },
  codex: {
    file: '~/.codex/config.toml',
    stdio: server => server,
    http: url => ({ url, bearer_token_env_var: 'SHEAF_TOKEN' }),
    print: config => printToml('mcp_servers.sheaf', config as Readonly<Record<string, unknown>>),
  },
  cursor: {
    file: '.cursor/mcp.json in the project',
    stdio: servers,
    http: url => servers({ url, headers: bearer(variable('env:SHEAF_TOKEN')) }),
    print: printJson,
  },
  gemini: {
    file: '.gemini/settings.json in the project',
    stdio: servers,
    http: url => servers({ httpUrl: url, headers: bearer('$SHEAF_TOKEN') }),
    print: printJson,
  },
  opencode: {
    file: 'opencode.json in the project',
    stdio: ({ command, args, env }) => ({
      mcp: { sheaf: { type: 'local', command: [command, ...args], enabled: true, ...(env === undefined ? {} : { environment: env }) } },
    }),
    http: url => ({ mcp: { sheaf: { type: 'remote', url, enabled: true, headers: bearer('{env:SHEAF_TOKEN}') } } }),
    print: printJson,
  },
  vscode: {
    file: '.vscode/mcp.json in the project',
    stdio: server => ({ servers: { sheaf: { type: 'stdio', ...server } } }),
    http: url => ({
      inputs: [{ id: 'sheaf-token', type: 'promptString', description: 'Token of the vault', password: true }],
      servers: { sheaf: { type: 'http', url, headers: bearer(variable('input:sheaf-token')) } },
    }),
    print: printJson,
  },
  windsurf: {
    file: '~/.codeium/windsurf/mcp_config.json',
    stdio: servers,
    http: url => servers({ serverUrl: url, headers: bearer(variable('env:SHEAF_TOKEN')) }),
    print: printJson,
  },
  zed: {
    file: 'settings.json',
    stdio: server => ({ context_servers: { sheaf: server } }),
    http: null,
    print: printJson,
  },
} as const satisfies Readonly<Record<string, McpClient>>;

export type McpClientName = keyof typeof mcpClients;

export const isMcpClient = (name: string): name is McpClientName => Object.hasOwn(mcpClients, name);

/** What to put into a client's file so that it starts `sheaf mcp`, or, given a `url`, speaks to a running server; null when it cannot do the latter. */
export const clientConfig = (name: McpClientName, target: StdioServer | { readonly url: string }): ClientConfig | null => {
  const client: McpClient = mcpClients[name];
  const config = 'url' in target ? client.http?.(target.url) : client.stdio(target);
  return config === undefined ? null : { file: client.file, text: client.print(config) };
};

// Strings, lists of strings and one level of tables are all that these files need; JSON's strings are TOML's basic strings.
const printToml = (table: string, config: Readonly<Record<string, unknown>>): string => {
  const entries = Object.entries(config);
  const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const lines = entries.filter(([, value]) => !isTable(value)).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  const tables = entries.flatMap(([key, value]) => (isTable(value) ? [`\n${printToml(`${table}.${key}`, value)}`] : []));
  return `[${table}]\n${lines.join('')}${tables.join('')}`;
};
