import { defineConfig } from 'vitest/config';

// The long runs of the same code as `npm test`: SHEAF_SOAK=1 widens every budget and prints its seed.
export default defineConfig({
  resolve: { conditions: ['sheaf-source'] },
  ssr: { resolve: { conditions: ['sheaf-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'test/**/*.soak.test.ts'],
    env: { SHEAF_SOAK: '1' },
    testTimeout: 3_600_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
