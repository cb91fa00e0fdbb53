import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Nothing here changes what another file could see.
          isolate: false,
          pool: 'threads',
          include: ['test/**/*.test.ts'],
          exclude: ['test/cli/**', 'test/interop/**', 'test/lab/**'],
          restoreMocks: true,
          // Some talk over real sockets, and the machine may be busy with others.
          testTimeout: 20_000,
        },
      },
      {
        // Tests that start real processes and therefore need the build.
        test: {
          name: 'process',
          include: ['test/cli/**/*.test.ts'],
          // What one test has started is no business of the next.
          env: { MCP_BRIDGE_NO_DISCOVER_CACHE: '1' },
          testTimeout: 20_000,
        },
      },
    ],
  },
});
