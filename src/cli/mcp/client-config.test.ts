import { expect, test } from 'vitest';
import { clientConfig, type McpClientName, mcpClients } from './client-config.ts';

const names = Object.keys(mcpClients) as McpClientName[];
const server = {
  command: '/usr/bin/node',
  args: ['/opt/sheaf/bin/sheaf.cjs', 'mcp', '--vault', '/home/ada/my "vault"'],
  env: { SHEAF_STATE_DIR: '/s' },
};

/** The value behind a chain of names in JSON. */
const at = (text: string | undefined, ...path: string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], JSON.parse(text ?? ''));

test.each(names)('the configuration of %s starts this server with its vault', name => {
  const config = clientConfig(name, server);
  expect(config?.file).not.toBe('');
  for (const word of ['sheaf', server.command, ...server.args, 'SHEAF_STATE_DIR'])
    expect(config?.text).toContain(JSON.stringify(word).slice(1, -1));
});

test('every client keeps its servers where its own documentation says', () => {
  const { command, args, env } = server;
  for (const name of ['claude-desktop', 'cursor', 'gemini', 'windsurf'] as const)
    expect(at(clientConfig(name, server)?.text, 'mcpServers', 'sheaf')).toEqual(server);
  expect(at(clientConfig('claude-code', server)?.text, 'mcpServers', 'sheaf')).toEqual({ type: 'stdio', ...server });
  expect(at(clientConfig('vscode', server)?.text, 'servers', 'sheaf')).toEqual({ type: 'stdio', ...server });
  expect(at(clientConfig('zed', server)?.text, 'context_servers', 'sheaf')).toEqual(server);
  expect(at(clientConfig('opencode', server)?.text, 'mcp', 'sheaf')).toEqual({
    type: 'local',
    command: [command, ...args],
    enabled: true,
    environment: env,
  });
  expect(clientConfig('codex', server)?.text).toBe(
    [
      '[mcp_servers.sheaf]',
      'command = "/usr/bin/node"',
      'args = ["/opt/sheaf/bin/sheaf.cjs","mcp","--vault","/home/ada/my \\"vault\\""]',
      '',
      '[mcp_servers.sheaf.env]',
      'SHEAF_STATE_DIR = "/s"',
      '',
    ].join('\n'),
  );
});

test('a configuration for a running server names its address and where the token is read from, never a token', () => {
  const url = 'http://127.0.0.1:4177/mcp';
  for (const name of names) {
    const config = clientConfig(name, { url });
    if (config === null) {
      expect(['claude-desktop', 'zed']).toContain(name);
      continue;
    }
    expect(config.text).toContain(url);
    expect(config.text).toMatch(/SHEAF_TOKEN|sheaf-token/);
  }
});
