import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = process.env['FW_SHARED'] ?? fileURLToPath(new URL('../../../../shared', import.meta.url))

/**
 * Path of a file of black-box cases, which are kept outside of this repository: in `$FW_SHARED/cases`, or in a folder
 * `shared/cases` beside the workspace.
 *
 * @returns `undefined`, and a printed line that says so, where they are not there
 */
export function sharedCaseFile(name: string): string | undefined {
  const path = join(FOLDER, 'cases', name)
  // A runner tells by its path whether it is the program that was started, so it must be the one without links.
  if (existsSync(path)) return realpathSync(path)
  console.log(`Skipped: the cases of ${name} are not in FW_SHARED or beside the workspace`)
  return undefined
}

/** The cases of a JSON file; none where the file is not there. */
export function sharedCases(name: string): readonly unknown[] {
  const path = sharedCaseFile(name)
  return path === undefined ? [] : (JSON.parse(readFileSync(path, 'utf8')) as unknown[])
}
