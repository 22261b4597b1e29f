import type { BigIntStats } from 'node:fs'
import type { Absence } from './absence.ts'
import type { FileStat } from './file-stat.ts'
import { locateIn, type PathLocation } from './locate.ts'
import type { ResolvedOptions } from './options.ts'
import { SIDECARS } from './precompressed.ts'
import type { Variant } from './variant.ts'

/** A path that was looked at, and what was there; `undefined` for nothing. */
export interface Look {
  readonly path: string
  readonly stats: BigIntStats | undefined
}

/** What a request path leads to. */
export interface Resolution {
  /** The file in every coding it is stored in; the plain one comes last. */
  readonly variants: readonly Variant[]
  /** All that was looked at to find out: while that is the same, so is the rest. */
  readonly looks: readonly Look[]
  /** What of it was not there, if it is not among `looks`. */
  readonly absence?: Absence
}

/** Finds the file that a request path names, by looking at the file system. */
export class Finder {
  readonly #files: FileStat
  readonly #options: Pick<ResolvedOptions, 'indexFile' | 'precompressed' | 'redirect'>

  constructor(files: FileStat, options: Pick<ResolvedOptions, 'indexFile' | 'precompressed' | 'redirect'>) {
    this.#files = files
    this.#options = options
  }

  /**
   * @returns `'unslashed'` for a directory that should be asked for with a slash, `undefined` if there is no such file
   * @throws the error of `stat` if the process may not look, or the file system fails
   */
  async find({ file, name, isDirectory }: PathLocation): Promise<Resolution | 'unslashed' | undefined> {
    const looks: Look[] = []
    const stats = await this.#look(looks, file)
    if (stats === undefined) return undefined
    if (stats.isFile()) return isDirectory ? undefined : this.#withSidecars(looks, file, name, stats)
    if (!stats.isDirectory()) return undefined
    if (!isDirectory && this.#options.redirect) return 'unslashed'
    const { indexFile } = this.#options
    return this.#findFile(looks, locateIn(file, indexFile), locateIn(name, indexFile))
  }

  /** As `find`, for a path that is no directory. */
  findFile(path: string, name: string): Promise<Resolution | undefined> {
    return this.#findFile([], path, name)
  }

  async #findFile(looks: Look[], path: string, name: string): Promise<Resolution | undefined> {
    const stats = await this.#look(looks, path)
    return stats?.isFile() === true ? this.#withSidecars(looks, path, name, stats) : undefined
  }

  async #withSidecars(looks: Look[], path: string, name: string, stats: BigIntStats): Promise<Resolution> {
    const variants: Variant[] = []
    if (this.#options.precompressed) {
      for (const { coding, suffix } of SIDECARS) {
        const sidecar = path + suffix
        const found = await this.#look(looks, sidecar)
        if (found?.isFile() === true)
          variants.push({ path: sidecar, name, coding, stats: found, representation: undefined })
      }
    }
    variants.push({ path, name, coding: 'identity', stats, representation: undefined })
    return { variants, looks }
  }

  async #look(looks: Look[], path: string): Promise<BigIntStats | undefined> {
    const stats = await this.#files.look(path)
    looks.push({ path, stats })
    return stats
  }
}
