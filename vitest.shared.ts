import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** What every package's tests share. The JSON report is what the continuous integration run counts. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: [fileURLToPath(new URL('packages/testing/src/fixed-seed.ts', import.meta.url))],
    reporters: ['default', 'json'],
    outputFile: { json: 'test-report.json' },
    // Nothing waits for these where all is well: they are for machines that are busy with something else.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
