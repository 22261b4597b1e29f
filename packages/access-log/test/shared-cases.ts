import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = process.env['FW_SHARED'] ?? fileURLToPath(new URL('../../../../shared', import.meta.url))

/** Cases kept outside of this repository; none, and a line that says so, where they are not there. */
export function sharedCases(file: string): readonly unknown[] {
  const path = join(FOLDER, 'cases', file)
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as unknown[]
  console.log(`Skipped: the cases of ${file} are not in FW_SHARED or beside the workspace`)
  return []
}
