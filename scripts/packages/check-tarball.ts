import { runCommand } from './run-command.ts'
import type { Tarball } from './published-package.ts'

/** What every published package carries; that the files of its entries are there is looked at by publint. */
const REQUIRED_FILES = ['package.json', 'README.md', 'LICENSE', 'dist/index.d.ts']
/** What only this workspace needs. */
const UNWANTED_FILES = /\.test\.|\.tsbuildinfo$|(?:^|\/)test\/|test-report\.json$/

/** What is wrong with a tarball, in the words of the tools that look at it; empty if nothing is. */
export async function checkTarball({ path, files }: Tarball, root: string): Promise<string[]> {
  const [publint, types] = await Promise.all([
    runCommand(['publint', '--strict', path], root),
    runCommand(['attw', '--profile', 'esm-only', '--format', 'ascii', '--no-color', path], root),
  ])
  return [
    ...REQUIRED_FILES.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => UNWANTED_FILES.test(file)).map((file) => `${file} is of no use to a user`),
    ...(publint.ok ? [] : [publint.output]),
    ...(types.ok ? [] : [types.output]),
  ]
}
