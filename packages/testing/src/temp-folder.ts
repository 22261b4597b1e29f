import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Folder that is deleted, with its contents, when its scope ends. */
export interface TempFolder extends AsyncDisposable {
  /** Absolute and without symbolic links. */
  readonly path: string
  /** Returns the absolute path of a file in the folder. */
  join(...names: string[]): string
}

/**
 * Creates a temporary folder with the given files.
 *
 * @param files Contents by relative path
 *
 * @example
 * await using folder = await tempFolder({ 'css/site.css': 'p {}' })
 */
export async function tempFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<TempFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'fw-test-')))
  for (const [name, body] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), body)
  }
  return {
    path,
    join: (...names) => join(path, ...names),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
