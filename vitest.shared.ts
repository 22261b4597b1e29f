import { defineConfig } from 'vitest/config'

/** What every package's tests share. The JSON report is what the continuous integration run counts. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', 'json'],
    outputFile: { json: 'test-report.json' },
    // Nothing waits for these where all is well: they are for machines that are busy with something else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
})
