import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Files } from './merge-layers.ts'

/**
 * Writes files below a folder, which is created with its parents.
 *
 * @throws {Error} from the file system, for example if one of the files exists
 */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  await makeFolder(folder)
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { flag: 'wx' })
  }
}

/** Creates a folder and its parents. In Node.js, a recursive `mkdir` below `/proc` never settles. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT') throw error
    await makeFolder(dirname(folder))
    await mkdir(folder)
  }
}
