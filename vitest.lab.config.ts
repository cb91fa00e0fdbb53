import { defineConfig } from 'vitest/config';

// The fault laboratory: much of everything at once, each file by itself, as it loads the machine. Bounded here; the
// scripts `lab:fuzz`, `lab:chaos` and `lab:soak` go on for longer.
export default defineConfig({
  test: {
    include: ['test/lab/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
