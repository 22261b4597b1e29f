import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { tempFolder } from '../temp-folder.ts'
import { pageBlocks, type PageBlock } from './page-blocks.ts'

/** Settings that the pages recommend. */
const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2025', 'esnext.disposable', 'dom'],
  module: 'nodenext',
  moduleDetection: 'force',
  types: ['node'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
}

/** Page to check. */
export interface TypedPage {
  readonly path: string
  /** Pages that this page continues. Their files exist before its first block. */
  readonly before?: readonly string[]
}

/** Location of the packages that the pages use. */
export interface PageTypesOptions {
  /** Folders whose packages the blocks import. */
  readonly from: readonly string[]
  /** Path to the compiler. */
  readonly tsc: string
}

/**
 * Checks the types of all `ts` blocks on some pages with one compiler run. A block with a title is visible to the other blocks
 * of its page, until a later block with the same title replaces it.
 *
 * @returns The errors, each with the path of its page and the line number
 */
export async function checkPageTypes(pages: readonly TypedPage[], { from, tsc }: PageTypesOptions): Promise<string[]> {
  await using folder = await tempFolder({
    'package.json': '{"type":"module"}',
  })
  for (const each of from) linkPackages(resolve(each, 'node_modules'), folder.join('node_modules'))
  const blocks = pages.flatMap((page, at) => writeBlocks(page, folder.join('pages', String(at))))
  const files = blocks.filter(({ isRoot }) => isRoot).map(({ file }) => file)
  writeFileSync(folder.join('tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }))
  const output = await outputOf(tsc, ['--project', folder.path, '--pretty', 'false'])
  return errorsOf(output, blocks)
}

/** A block's file, and its place on the page. */
interface WrittenBlock {
  readonly file: string
  readonly page: string
  readonly line: number
  /**
   * Whether to check the file even if no other block imports it; false for copies and for files from earlier pages.
   */
  readonly isRoot: boolean
}

/** Writes the blocks of a page. Each block that replaces a file starts a new folder with copies of the other files. */
function writeBlocks({ path, before = [] }: TypedPage, folder: string): WrittenBlock[] {
  const written = new Map<string, WrittenBlock>()
  let version = 0
  const earlier = before.flatMap((page) => blocksOf(page).filter(({ title }) => title !== undefined))
  for (const { page, language, code, line, title, noRun } of [...earlier, ...blocksOf(path)]) {
    if (language !== 'ts' || (noRun !== undefined && !isWholeProgram(code))) continue
    const name = title ?? `block-${line}.ts`
    if (written.has(join(folder, String(version), name))) {
      const last = join(folder, String(version++))
      cpSync(last, join(folder, String(version)), { recursive: true })
      for (const [file, block] of written) {
        if (file.startsWith(last))
          written.set(file.replace(last, join(folder, String(version))), { ...block, isRoot: false })
      }
    }
    const file = join(folder, String(version), name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
    written.set(file, { file, page, line, isRoot: page === path })
  }
  return Array.from(written, ([file, block]) => ({ ...block, file }))
}

/**
 * Reports whether a block that does not run is a whole program. A fragment of a file does not compile, and neither do imports
 * from it.
 */
function isWholeProgram(code: string): boolean {
  return /^(?:import|\/\/ \S+\.ts)/.test(code) && !/from '\.{1,2}\//.test(code)
}

function blocksOf(page: string): (PageBlock & { page: string })[] {
  return pageBlocks(readFileSync(page, 'utf8')).map((block) => Object.assign(block, { page }))
}

function linkPackages(source: string, target: string): void {
  mkdirSync(target, { recursive: true })
  for (const name of readdirSync(source)) {
    if (name.startsWith('.')) continue
    if (name.startsWith('@')) linkPackages(join(source, name), join(target, name))
    else if (!existsSync(join(target, name))) symlinkSync(join(source, name), join(target, name))
  }
}

function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((done) => {
    // The compiler exits with an error if it finds any.
    execFile(command, args, { cwd: '/', maxBuffer: 16 * 1024 * 1024 }, (_error, stdout, stderr) =>
      done(stdout + stderr),
    )
  })
}

/** Returns the errors with line numbers on the pages instead of in the written files. */
function errorsOf(output: string, blocks: readonly WrittenBlock[]): string[] {
  const byFile = new Map(blocks.map((block) => [block.file, block]))
  const errors = output.split('\n').filter((line) => / error TS|^error/.test(line))
  return errors.flatMap((error) => {
    const [, path, line = '', message = ''] = /^(.+?)\((\d+),\d+\): (.*)$/.exec(error) ?? []
    if (path === undefined) return error
    const block = byFile.get(resolve('/', path))
    // Skip the packages' sources, which are checked with their own settings.
    return block === undefined ? [] : `${block.page}:${block.line + Number(line) - 1}: ${message}`
  })
}
