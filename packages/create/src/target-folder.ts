import { access, constants, readdir, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'

/**
 * Checks that an application can be written into a folder: the folder is empty, or does not exist and can be created.
 *
 * @param folder Absolute path
 * @returns the reason why the folder cannot be used, or `undefined`
 */
export async function folderProblem(folder: string): Promise<string | undefined> {
  try {
    const names = await readdir(folder)
    if (names.length > 0) return `The folder ${folder} is not empty, and its files must not be overwritten.`
    await access(folder, constants.W_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return `${folder} is a file or is below a file.`
    if (code === 'ENOENT') return parentProblem(folder)
    return `The folder ${folder} cannot be written (${code}).`
  }
}

/** Checks the nearest existing parent. */
async function parentProblem(folder: string): Promise<string | undefined> {
  const parent = dirname(folder)
  try {
    if (!(await stat(parent)).isDirectory()) return `${parent} is a file.`
    await access(parent, constants.W_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? parentProblem(parent) : `The folder ${parent} cannot be written (${code}).`
  }
}

/**
 * Returns the package name for a folder: `My App` becomes `my-app`.
 *
 * @see https://docs.npmjs.com/cli/configuring-npm/package-json#name
 */
export function packageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
  return name === '' || name === 'node_modules' ? 'my-app' : name
}
