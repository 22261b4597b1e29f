import { readFile, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Files } from './merge-layers.ts'

/** Folder of this package. The path works from both `src/` and `dist/`. */
const PACKAGE = join(import.meta.dirname, '..')

/** Reads the files in a folder in `templates/`. */
export async function templateFiles(layer: string): Promise<Files> {
  const folder = join(PACKAGE, 'templates', layer)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(
      paths.toSorted().map(async (path) => {
        return [relative(folder, path).replaceAll(sep, '/'), await readFile(path, 'utf8')] as const
      }),
    ),
  )
}

/** Returns this package's version, which all `@fw` packages share. */
export async function ownVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  return version
}
