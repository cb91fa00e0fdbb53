import { defineConfig } from 'vitest/config';

// Published servers and clients, installed pinned beside the project.
export default defineConfig({
  test: {
    include: ['test/interop/servers/*.test.js'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
});
