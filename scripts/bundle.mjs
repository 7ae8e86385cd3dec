// Bundles the built command line into dist/bin/, because opening some 300 module files is half the run time of a short command.
// Native modules stay outside; the library in dist/ is not bundled.
import { rmSync } from 'node:fs';
import { build } from 'rolldown';

rmSync('dist/bin', { recursive: true, force: true });
await build({
  input: 'dist/cli/main.js',
  platform: 'node',
  // Only `serve`, `mcp` and what asks a language model load these, and they start once.
  external: [
    'better-sqlite3',
    'fs-native-extensions',
    'fastify',
    /^@fastify\//,
    /^@modelcontextprotocol\//,
    'jose',
    'pino',
    'prom-client',
    'ai',
    /^@ai-sdk\//,
  ],
  output: { dir: 'dist/bin', format: 'esm', chunkFileNames: '[name].js' },
  logLevel: 'warn',
});
