import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageBlocks } from './page/page-blocks.ts'
import { readmeBlocks } from './readme-blocks.ts'
import { runProgram } from './run-program.ts'

/** Time limit for an example, in milliseconds. */
const EXAMPLE_TIMEOUT_MS = 150_000

/** Options of `runReadme`. */
export interface ReadmeOptions {
  /** Folder whose packages the examples import. Default: the folder of the README. */
  readonly from?: string
}

/**
 * Registers one test for each `ts` block in a README. The test runs the block as a program with this Node.js version, and
 * expects exit code 0.
 *
 * A block that cannot end by itself is marked `ts no-run="reason"` and skipped. Use `runPage` for a page with command
 * blocks.
 *
 * @param path Path to the README, absolute or relative to the working directory
 * @throws {Error} if there is no block to run, because a test that runs nothing cannot fail, or if a block has commands
 */
export function runReadme(path: string, options: ReadmeOptions = {}): void {
  const folder = resolve(options.from ?? dirname(path))
  const text = readFileSync(path, 'utf8')
  const commands = pageBlocks(text).find(
    ({ language, noRun }) => /^(?:console|sh)$/.test(language) && noRun === undefined,
  )
  if (commands !== undefined) throw new Error(`${path}:${commands.line}: runPage must run a page with commands`)
  const blocks = readmeBlocks(text).filter((block) => block.isProgram)
  if (blocks.length === 0) throw new Error(`${path} has no \`\`\`ts block to run`)

  describe(`examples of ${path}`, () => {
    it.each(blocks)(
      'runs the example on line $line',
      async ({ code, line }) => {
        const file = join(folder, `.readme-${process.pid}-${line}.ts`)
        await writeFile(file, code)
        try {
          expect(await runProgram(file, folder, EXAMPLE_TIMEOUT_MS)).toBe('exit code 0')
        } finally {
          await rm(file)
        }
      },
      EXAMPLE_TIMEOUT_MS + 30_000,
    )
  })
}
