import { runCommand } from './run-command.ts'
import type { Tarball } from './published-package.ts'

/** Files that every published package must contain. publint checks the entry files. */
const REQUIRED_FILES = ['package.json', 'README.md', 'LICENSE', 'dist/index.d.ts']
/** Files that only this workspace needs. The templates of `@fw/create` contain the tests of applications. */
const UNWANTED_FILES = /^(?!templates\/).*(?:\.test\.|\.tsbuildinfo$|(?<![^/])test\/|test-report\.json$)/

/** Checks a tarball with publint, attw and the rules above. @returns the problems found */
export async function checkTarball({ path, files }: Tarball, root: string): Promise<string[]> {
  const [publint, types] = await Promise.all([
    runCommand(['publint', '--strict', path], root),
    runCommand(['attw', '--profile', 'esm-only', '--format', 'ascii', '--no-color', path], root),
  ])
  return [
    ...REQUIRED_FILES.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => UNWANTED_FILES.test(file)).map((file) => `${file} must not be published`),
    ...(publint.ok ? [] : [publint.output]),
    ...(types.ok ? [] : [types.output]),
  ]
}
