import { defineConfig } from 'vitest/config'

/** What every package's tests share. The JSON report is what the continuous integration run counts. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', 'json'],
    outputFile: { json: 'test-report.json' },
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
