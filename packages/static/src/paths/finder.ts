import { identityOf, type FileIdentity } from '../files/file-identity.ts'
import type { FileStat } from './file-stat.ts'
import { locateIn, type PathLocation } from './locate.ts'
import { newLook, NO_TURN, type Look, type Variant, type Resolution } from './resolution.ts'
import { type Coding, SIDECARS } from '../http/precompressed.ts'
import type { ResolvedOptions } from '../options.ts'

/** Finds the file that a request path names, by looking at the file system. */
export class Finder {
  readonly #files: FileStat
  readonly #options: Pick<ResolvedOptions, 'indexFile' | 'precompressed' | 'redirect'>

  constructor(files: FileStat, options: Pick<ResolvedOptions, 'indexFile' | 'precompressed' | 'redirect'>) {
    this.#files = files
    this.#options = options
  }

  /**
   * @returns `undefined` if there is no such file
   * @throws the error of `stat` if the process may not look, or the file system fails
   */
  async find({ file, name, isDirectory }: PathLocation): Promise<Resolution | undefined> {
    const stats = await this.#files.look(file)
    if (stats === undefined) return undefined
    if (stats.isFile()) return isDirectory ? undefined : this.#withSidecars(file, name, stats)
    if (!stats.isDirectory()) return undefined
    const { indexFile, redirect } = this.#options
    // While there is an index in it, the directory is one: it need not be looked at again.
    const index = await this.findFile(locateIn(file, indexFile), locateIn(name, indexFile))
    return index !== undefined && redirect && !isDirectory ? { ...index, isUnslashed: true } : index
  }

  /** As `find`, for a path that is no directory. */
  async findFile(path: string, name: string): Promise<Resolution | undefined> {
    const stats = await this.#files.look(path)
    return stats?.isFile() === true ? this.#withSidecars(path, name, stats) : undefined
  }

  async #withSidecars(path: string, name: string, stats: FileIdentity): Promise<Resolution> {
    const plain = newVariant(path, name, 'identity', stats)
    if (!this.#options.precompressed) return { variants: [plain], looks: [plain] }
    const found = await Promise.all(
      SIDECARS.map(async ({ coding, suffix }) => {
        const sidecar = await this.#files.look(path + suffix)
        // No coding makes nothing of a file: an empty one is what a build left that failed.
        return sidecar?.isFile() === true && sidecar.size > 0n
          ? newVariant(path + suffix, name, coding, sidecar)
          : newLook(path + suffix, sidecar)
      }),
    )
    return { variants: [...found.filter(isVariant), plain], looks: [...found, plain] }
  }
}

function newVariant(path: string, name: string, coding: Coding, stats: FileIdentity): Variant {
  return { path, name, coding, stats: identityOf(stats), seen: { turn: NO_TURN, atMs: 0 }, representation: undefined }
}

function isVariant(look: Look): look is Variant {
  return 'coding' in look
}
