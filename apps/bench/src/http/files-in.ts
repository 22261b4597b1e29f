import { mkdtemp, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Files that are there already: they must not change while servers serve them. */
const directories = new Map<string, WeakMap<object, Promise<string>>>()

/** Writes files into a directory of their own, once. @returns That directory */
export function filesIn(folder: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const written = directories.get(folder) ?? new WeakMap<object, Promise<string>>()
  directories.set(folder, written)
  const directory = written.get(files) ?? writeFiles(folder, files)
  written.set(files, directory)
  return directory
}

async function writeFiles(parent: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const directory = await mkdtemp(join(parent, 'files-'))
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(directory, name), content)
    // Older than any cache that does not trust what has just been written.
    await utimes(join(directory, name), 1.7e9, 1.7e9)
  }
  return directory
}
