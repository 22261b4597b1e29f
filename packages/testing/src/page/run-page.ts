import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { tempFolder } from '../temp-folder.ts'
import {
  commandsOf,
  loggedComments,
  matchesOutput,
  outputByLine,
  scriptOf,
  withLineNumbers,
} from './expected-output.ts'
import { pageBlocks, type PageBlock } from './page-blocks.ts'
import { PageShell } from './page-shell.ts'

/** Ports that pages use. Each page run replaces them with free ports. */
const PAGE_PORTS = ['8080', '8443', '3000', '6379']

/** Time limit for all blocks of a page on a busy machine, in milliseconds. */
const PAGE_TIMEOUT_MS = 300_000

/** Location of the packages that a page uses. */
export interface PageOptions {
  /** Package folders. `npm install` links these packages and their dependencies. */
  readonly from: string | readonly string[]
  /** Packages that readers of this page have already installed. */
  readonly installed?: readonly string[]
  /** Pages that this page continues. Their files and packages exist before its first block runs. */
  readonly before?: readonly string[]
}

/**
 * Registers one test that runs the blocks of a page in order, in one temporary folder.
 *
 * A block with `title="app.ts"` writes that file. A `ts` block without a title is a program, which must exit with code 0. A
 * comment such as `// 200 ok` after `console.log` must equal its output. `[…]` stands for any text.
 *
 * A `console` block runs its commands, which begin with `$ `. The other lines must equal their output. With the mark
 * `background`, the commands keep running until the end of the page or the next such block. An `sh` block runs each line.
 *
 * The folder is empty if the page runs `npm init`. Otherwise, it contains a `package.json` with `type: module`.
 *
 * The mark `no-run="reason"` skips a block.
 *
 * @param path Path to the page, absolute or relative to the working directory
 * @throws {Error} if a `no-run` mark has no reason, or no block runs
 */
export function runPage(path: string, options: PageOptions): void {
  const steps = stepsOf(path)
  const name = `${basename(resolve(path, '..'))}/${basename(path)}`
  it.concurrent(
    `runs every block of ${name}`,
    () => expect(runSteps(path, steps, options)).resolves.toBeUndefined(),
    PAGE_TIMEOUT_MS,
  )
}

/** Returns the blocks of a page that write a file or run. Throws like `runPage`. */
export function stepsOf(path: string): PageBlock[] {
  const blocks = pageBlocks(readFileSync(path, 'utf8'))
  for (const { noRun, line } of blocks) {
    if (noRun === '')
      throw new Error(`${path}:${line}: the mark no-run must state a reason, such as no-run="never ends"`)
  }
  const steps = blocks.filter(
    ({ noRun, title, language }) => noRun === undefined && (title !== undefined || isRun(language)),
  )
  if (!steps.some(({ language }) => isRun(language))) throw new Error(`${path} has no block to run`)
  return steps
}

/**
 * Runs the blocks of a page.
 *
 * @throws {Error} with the line of the first block that fails or whose output differs
 */
export async function runSteps(path: string, steps: readonly PageBlock[], options: PageOptions): Promise<void> {
  const { from, installed = [], before = [] } = options
  const isNewProject = steps.some(({ language, code }) => isShell(language) && /\bnpm init\b/.test(code))
  await using folder = await tempFolder({
    ...(!isNewProject && { 'package.json': '{"type":"module"}' }),
    '.curlrc': 'no-progress-meter\n',
  })
  const ports = await Promise.all(PAGE_PORTS.map(async (port): Promise<[string, number]> => [port, await freePort()]))
  await using shell = new PageShell(
    folder,
    [from].flat().map((each) => resolve(each)),
    new Map(ports),
  )
  if (installed.length > 0) await shell.run({ command: `npm install ${installed.join(' ')}`, output: [] })
  for (const page of before) await prepare(pageBlocks(readFileSync(page, 'utf8')), shell)
  for (const block of steps) {
    try {
      await runBlock(block, shell)
    } catch (error) {
      throw new Error(`${path}:${block.line}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  }
}

/** Writes the files of an earlier page, and installs its packages. */
async function prepare(blocks: readonly PageBlock[], shell: PageShell): Promise<void> {
  for (const { language, code, title } of blocks) {
    if (title !== undefined) await shell.write(title, code)
    if (language !== 'console') continue
    for (const { command } of commandsOf(code)) {
      if (command.startsWith('npm install')) await shell.run({ command, output: [] })
    }
  }
}

function isRun(language: string): boolean {
  return language === 'ts' || isShell(language)
}

function isShell(language: string): boolean {
  return language === 'console' || language === 'sh'
}

async function runBlock({ language, code, line, title, isBackground }: PageBlock, shell: PageShell): Promise<void> {
  if (title !== undefined && !isShell(language)) {
    await shell.write(title, code)
  } else if (language === 'ts') {
    await runProgramBlock(code, line, shell)
  } else if (language === 'sh') {
    for (const command of scriptOf(code)) await shell.run({ command, output: [] })
  } else if (isBackground) {
    await shell.start(commandsOf(code))
  } else {
    for (const command of commandsOf(code)) await shell.run(command)
  }
}

/** Runs a block as a program, and compares the output of `console.log` with the comments. */
async function runProgramBlock(code: string, line: number, shell: PageShell): Promise<void> {
  const file = `.block-${line}.ts`
  const comments = loggedComments(code)
  await shell.write(file, withLineNumbers(code, comments.keys()))
  const printed = outputByLine(await shell.outputOf(`node ${file}`))
  for (const [at, comment] of comments) {
    const output = printed.get(at) ?? ''
    if (!matchesOutput(output, [comment])) throw new Error(`line ${line + at} printed ${output} instead of ${comment}`)
  }
}
