import { execFile, type ExecFileException } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import type { ThrownError } from './thrown-errors.ts'

const run = promisify(execFile)
// The examples run here because the demo depends on all packages that they import.
const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const PRELOAD = new URL('./thrown-errors.ts', import.meta.url).href
const PAGES = globSync(fileURLToPath(new URL('../../../docs/errors/*.md', import.meta.url))).toSorted()
const EXAMPLE_TIMEOUT_MS = 60_000

describe('the example of an error page', () => {
  it.each(PAGES.map((path) => [basename(path, '.md'), path]))(
    'throws %s with one of the messages on the page',
    async (code, path) => {
      const page = readFileSync(path, 'utf8')
      await using folder = await tempFolder()
      const thrown = await errorsOf(blockOf(page, 'ts'), folder.join(`${code}.json`))
      expect(thrown.map((error) => error.code)).toContain(code)
      for (const error of thrown.filter((each) => each.code === code)) {
        expect(`${error.name}: ${error.message}`).toMatch(patternOf(blockOf(page, 'text')))
      }
    },
    EXAMPLE_TIMEOUT_MS + 30_000,
  )
})

/** Runs a program and returns the errors that it throws or prints. */
async function errorsOf(program: string, report: string): Promise<ThrownError[]> {
  const file = join(FOLDER, `.${basename(report, '.json')}-${process.pid}.ts`)
  await writeFile(file, program)
  try {
    // An uncaught error makes the program exit with code 1.
    await run(process.execPath, ['--import', PRELOAD, file], {
      cwd: FOLDER,
      env: { ...process.env, THROWN_ERRORS: report },
      timeout: EXAMPLE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    }).catch((error: ExecFileException) => {
      if (error.code !== 1) throw error
    })
    return JSON.parse(readFileSync(report, 'utf8')) as ThrownError[]
  } finally {
    await rm(file)
  }
}

/** Returns the content of the first block in a language. */
function blockOf(page: string, language: string): string {
  return new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? ''
}

/** Returns a pattern for one line of the messages, in which `[…]` stands for any text. */
function patternOf(messages: string): RegExp {
  const lines = messages.trim().split('\n')
  return new RegExp(
    `^(?:${lines
      .map((line) =>
        line
          .split('[…]')
          .map((text) => RegExp.escape(text))
          .join('[^]*'),
      )
      .join('|')})$`,
  )
}
