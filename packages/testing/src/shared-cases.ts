import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = process.env['FW_SHARED'] ?? fileURLToPath(new URL('../../../../shared', import.meta.url))

/**
 * Returns the path to a file with black-box test cases. The files are not part of this repository. They are in
 * `$FW_SHARED/cases`, by default in `shared/cases` next to the workspace.
 *
 * @returns `undefined` if the file does not exist; also prints a message in this case
 */
export function sharedCaseFile(name: string): string | undefined {
  const path = join(FOLDER, 'cases', name)
  // Resolve links, because a runner compares its path with the main module to detect that it was started directly.
  if (existsSync(path)) return realpathSync(path)
  console.log(`Skipped: ${path} does not exist. Set FW_SHARED to the folder that contains "cases".`)
  return undefined
}

/** Returns the test cases in a JSON file, or an empty array if the file does not exist. */
export function sharedCases(name: string): readonly unknown[] {
  const path = sharedCaseFile(name)
  return path === undefined ? [] : (JSON.parse(readFileSync(path, 'utf8')) as unknown[])
}
