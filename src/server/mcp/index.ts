export { type Authorship, createAuthorship } from './authorship.ts';
export { createMcpServer, type McpServerOptions } from './create-mcp-server.ts';
export { type McpHttpOptions, mcpHttpHandler } from './mcp-http-handler.ts';
export { createStdioTransport, type StdioOptions } from './stdio-transport.ts';
