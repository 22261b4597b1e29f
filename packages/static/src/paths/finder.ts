import { identityOf, type FileIdentity } from '../files/file-identity.ts'
import type { FileStat } from './file-stat.ts'
import { locateIn, type PathLocation } from './locate.ts'
import { newCheck, NO_TURN, type Check, type Variant, type Resolution } from './resolution.ts'
import { type Coding, SIDECARS } from '../http/precompressed.ts'
import type { ResolvedOptions } from '../options.ts'

/** Finds the file for a request path in the file system. */
export class Finder {
  readonly #files: FileStat
  readonly #options: Pick<ResolvedOptions, 'indexFile' | 'precompressed' | 'redirect'>

  constructor(files: FileStat, options: Pick<ResolvedOptions, 'indexFile' | 'precompressed' | 'redirect'>) {
    this.#files = files
    this.#options = options
  }

  /**
   * Returns the file that a path names, or the index file of a directory; `undefined` if there is none.
   *
   * @throws an error from `stat` if the process has no permission or the file system fails
   */
  async find({ file, name, isDirectory }: PathLocation): Promise<Resolution | undefined> {
    const stats = await this.#files.stat(file)
    if (stats === undefined) return undefined
    if (stats.isFile()) return isDirectory ? undefined : this.#withSidecars(file, name, stats)
    if (!stats.isDirectory()) return undefined
    const { indexFile, redirect } = this.#options
    // An index file proves that its parent is a directory, so later requests need not check the parent.
    const index = await this.findFile(locateIn(file, indexFile), locateIn(name, indexFile))
    return index !== undefined && redirect && !isDirectory ? { ...index, isUnslashed: true } : index
  }

  /** Returns the file at a path; `undefined` if the path does not exist or is a directory. */
  async findFile(path: string, name: string): Promise<Resolution | undefined> {
    const stats = await this.#files.stat(path)
    return stats?.isFile() === true ? this.#withSidecars(path, name, stats) : undefined
  }

  async #withSidecars(path: string, name: string, stats: FileIdentity): Promise<Resolution> {
    const plain = newVariant(path, name, 'identity', stats)
    if (!this.#options.precompressed) return { variants: [plain], checks: [plain] }
    const found = await Promise.all(
      SIDECARS.map(async ({ coding, suffix }) => {
        const sidecar = await this.#files.stat(path + suffix)
        // A valid compressed file is never empty. An empty one comes from a failed build.
        return sidecar?.isFile() === true && sidecar.size > 0n
          ? newVariant(path + suffix, name, coding, sidecar)
          : newCheck(path + suffix, sidecar)
      }),
    )
    return { variants: [...found.filter(isVariant), plain], checks: [...found, plain] }
  }
}

function newVariant(path: string, name: string, coding: Coding, stats: FileIdentity): Variant {
  return {
    path,
    name,
    coding,
    stats: identityOf(stats),
    checkedAt: { turn: NO_TURN, atMs: 0 },
    representation: undefined,
  }
}

function isVariant(check: Check): check is Variant {
  return 'coding' in check
}
