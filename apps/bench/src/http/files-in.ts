import { mkdtemp, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Directories already written. Servers read them, so they must not change. */
const directories = new Map<string, WeakMap<object, Promise<string>>>()

/** Writes the files into a new directory on the first call. @returns the directory */
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
    // An old modification time, because servers do not cache files that were written recently.
    await utimes(join(directory, name), 1.7e9, 1.7e9)
  }
  return directory
}
