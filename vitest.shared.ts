import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Test configuration for every package. Continuous integration counts the tests in the JSON report. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: [fileURLToPath(new URL('packages/testing/src/fixed-seed.ts', import.meta.url))],
    // Tests start hundreds of processes that load the same sources. The cache saves two thirds of the time to compile them.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    reporters: ['default', 'json'],
    outputFile: { json: 'test-report.json' },
    // Long limits for busy machines. Passing tests do not wait for them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
