import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder that is removed with everything in it when its scope ends. */
export interface TempFolder extends AsyncDisposable {
  /** Absolute and without symbolic links. */
  readonly path: string
  /** Absolute path of something inside. */
  join(...names: string[]): string
}

/**
 * Makes an empty folder among the temporary files, and in it the files given by their relative paths.
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
