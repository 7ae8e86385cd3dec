import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['sheaf-source'] },
  ssr: { resolve: { conditions: ['sheaf-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/*.soak.test.ts', 'node_modules/**'],
    testTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
