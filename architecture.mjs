// The one table of rooms: each room, and the only rooms it may import.
// The import rules (.dependency-cruiser.mjs) and the graph in ARCHITECTURE.md are generated from it.
export const rooms = {
  errors: [],
  document: ['errors'],
  registry: ['document', 'errors'],
  validation: ['registry', 'document', 'errors'],
  'adapter-contracts': ['registry', 'document', 'errors'],
  'adapter-contracts/testing': ['adapter-contracts', 'registry', 'document', 'errors'],
  policy: ['adapter-contracts', 'registry', 'errors'],
  identity: ['policy', 'adapter-contracts', 'registry', 'document', 'errors'],
  workspace: ['identity', 'policy', 'adapter-contracts', 'registry', 'document', 'errors'],
  kernel: ['adapter-contracts', 'validation', 'registry', 'document', 'errors'],
  'stores/memory': ['adapter-contracts', 'document', 'errors'],
  'stores/fs': ['adapter-contracts', 'document', 'errors'],
  projections: ['adapter-contracts', 'registry', 'document', 'errors'],
  api: ['projections', 'kernel', 'identity', 'policy', 'adapter-contracts', 'validation', 'registry', 'document', 'errors'],
  'open-vault.ts': [
    'api',
    'projections',
    'kernel',
    'workspace',
    'identity',
    'policy',
    'stores/fs',
    'stores/memory',
    'adapter-contracts',
    'validation',
    'registry',
    'document',
    'errors',
  ],
  'server/http/client': [],
  'server/http': ['api', 'identity', 'adapter-contracts', 'document', 'errors'],
  'server/mcp': ['api', 'adapter-contracts', 'document', 'errors'],
  server: ['server/http', 'server/mcp', 'open-vault.ts', 'api', 'identity', 'adapter-contracts', 'errors'],
  cli: ['server', 'server/mcp', 'open-vault.ts', 'api', 'errors'],
  'index.ts': ['open-vault.ts', 'api', 'kernel', 'adapter-contracts', 'registry', 'document', 'errors'],
};

// Rooms that may touch the disk; everything else works on values and adapters.
export const roomsWithFiles = ['stores/fs', 'open-vault.ts', 'projections', 'workspace', 'identity', 'cli', 'adapter-contracts/testing'];
