import { defineConfig } from 'vitest/config';

// The built command line between real servers and real clients.
export default defineConfig({
  test: { include: ['test/interop/*.test.js'], testTimeout: 30_000, hookTimeout: 30_000 },
});
