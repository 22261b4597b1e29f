import { FileStat } from '../src/paths/file-stat.ts'
import { Finder } from '../src/paths/finder.ts'
import type { Resolution } from '../src/paths/resolution.ts'
import { resolveOptions } from '../src/options.ts'

/** Returns the current state of a file and its sidecars. */
export async function found(path: string): Promise<Resolution> {
  const resolution = await new Finder(new FileStat(), resolveOptions()).findFile(path, '/name')
  if (resolution === undefined) throw new Error(`There is no file ${path}`)
  return resolution
}
