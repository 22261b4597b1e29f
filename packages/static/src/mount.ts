import type { BigIntStats } from 'node:fs'
import type { Context } from '@fw/types'
import { FileCache } from './cache.ts'
import type { Coding } from './coding.ts'
import { deliver } from './deliver.ts'
import { fallbackRule } from './fallback.ts'
import { fileFailure, type FileFailure } from './file-failure.ts'
import type { FileIdentity } from './file-identity.ts'
import { FileStat } from './file-stat.ts'
import { HttpError } from './http-error.ts'
import { belowPrefix, locate, locateIn, type PathLocation } from './locate.ts'
import type { ResolvedOptions } from './options.ts'
import { acceptedCodings, SIDECARS } from './precompressed.ts'
import { refuse } from './refuse.ts'
import { represent, type Representation } from './representation.ts'
import { WHOLE_BYTES } from './send-file.ts'
import { addVary } from './vary.ts'
import { limitedWarnings } from './warnings.ts'

/** A file as it is stored, in one coding. */
interface Variant {
  /** Path in the file system. */
  readonly path: string
  /** Path of the plain file below the mount, with a leading slash. */
  readonly name: string
  readonly coding: Coding
  readonly stats: BigIntStats
}

/** What is found at a path: a file, a directory that should be asked for with a slash, or nothing. */
type Found = Variant | 'unslashed' | undefined

/** Serves the files of one directory below one prefix. */
export class Mount {
  readonly #base: string
  readonly #prefixSegments: number
  readonly #options: ResolvedOptions
  readonly #files = new FileStat()
  readonly #cache: FileCache
  readonly #warn: (message: string) => void
  /** By the state that a cache entry keeps, so that what is in memory is described once. */
  readonly #described = new WeakMap<FileIdentity, Representation>()

  /**
   * @param base Directory with a trailing separator
   * @param prefixSegments Number of path segments in front of what names a file
   */
  constructor(base: string, prefixSegments: number, options: ResolvedOptions) {
    this.#base = base
    this.#prefixSegments = prefixSegments
    this.#options = options
    this.#cache = new FileCache({ ...options, base })
    this.#warn = options.onWarning ?? limitedWarnings()
  }

  /** Answers one request. */
  async serve(ctx: Context): Promise<void> {
    const location = locate(this.#base, belowPrefix(ctx.path, this.#prefixSegments), this.#options)
    if (location.kind === 'refused') await ctx.notFound()
    else await this.#serveAt(ctx, location)
  }

  async #serveAt(ctx: Context, at: PathLocation): Promise<void> {
    try {
      const found = await this.#find(at.file, at.name, at.isDirectory)
      // Routes and middleware have seen the longer spelling, and may have let it pass for that.
      if (found !== undefined && at.isRedundant) return redirect(ctx, ctx.path.replaceAll(/\/{2,}/g, '/'))
      if (found === 'unslashed') return redirect(ctx, `${ctx.path}/`)
      const failure = found === undefined ? 'missing' : await this.#send(ctx, found, false)
      if (failure === 'missing') await this.#miss(ctx, at.name)
      else if (failure !== undefined) await refuse(ctx, failure, at.file, this.#warn)
    } catch (error) {
      const failure = ctx.headSent ? undefined : fileFailure(error)
      if (failure === undefined) throw error
      await refuse(ctx, failure, at.file, this.#warn)
    }
  }

  async #find(path: string, name: string, isDirectory: boolean): Promise<Found> {
    const stats = await this.#files.look(path)
    if (stats === undefined) return undefined
    if (stats.isFile()) return isDirectory ? undefined : { path, name, coding: 'identity', stats }
    if (!stats.isDirectory()) return undefined
    if (!isDirectory && this.#options.redirect) return 'unslashed'
    const { indexFile } = this.#options
    return this.#plainFile(locateIn(path, indexFile), locateIn(name, indexFile))
  }

  async #plainFile(path: string, name: string): Promise<Variant | undefined> {
    const stats = await this.#files.look(path)
    return stats?.isFile() === true ? { path, name, coding: 'identity', stats } : undefined
  }

  /** Answers for a path that names no file. */
  async #miss(ctx: Context, name: string): Promise<void> {
    if (this.#options.spa) {
      const rule = fallbackRule(name, ctx.headers.get('accept'))
      if (rule.dependsOnAccept) addVary(ctx.responseHeaders, 'Accept')
      if (rule.applies && (await this.#sendFallback(ctx))) return
    }
    await ctx.notFound()
  }

  async #sendFallback(ctx: Context): Promise<boolean> {
    const { fallbackFile } = this.#options
    const file = await this.#plainFile(locateIn(this.#base, fallbackFile), `/${fallbackFile}`)
    if (file === undefined) return false
    const failure = await this.#send(ctx, file, true)
    if (failure === undefined) return true
    if (failure === 'missing') return false
    await refuse(ctx, failure, file.path, this.#warn)
    return true
  }

  /** Sends the best variant of a file; the failure of the plain one if none can be had. */
  async #send(ctx: Context, file: Variant, isFallback: boolean): Promise<FileFailure | undefined> {
    const sidecars = this.#options.precompressed ? await this.#sidecarsOf(file) : []
    if (sidecars.length === 0) return this.#deliver(ctx, file, isFallback)

    // RFC 9110 §12.5.5: the answer would have been another one to another request, be it a 304.
    addVary(ctx.responseHeaders, 'Accept-Encoding')
    const variants = [...sidecars, file]
    const codings = acceptedCodings(ctx.headers.get('accept-encoding'))
    const accepted = codings.flatMap((coding) => variants.filter((variant) => variant.coding === coding))
    if (accepted.length === 0) throw new HttpError(406, `The file is there as ${codingsOf(variants)}`)
    let failure: FileFailure | undefined
    for (const variant of accepted) {
      failure = await this.#deliver(ctx, variant, isFallback)
      if (failure === undefined || failure === 'exhausted') return failure
    }
    return failure
  }

  async #sidecarsOf(file: Variant): Promise<readonly Variant[]> {
    const found: Variant[] = []
    for (const { coding, suffix } of SIDECARS) {
      const path = file.path + suffix
      const stats = await this.#files.look(path)
      if (stats?.isFile() === true) found.push({ path, name: file.name, coding, stats })
    }
    return found
  }

  #deliver(
    ctx: Context,
    { path, name, coding, stats }: Variant,
    isFallback: boolean,
  ): Promise<FileFailure | undefined> {
    const cache = this.#cache
    return deliver(ctx, {
      open: () => cache.open(path, stats),
      describe: (opened) => this.#describe(name, coding, opened),
      isLoaded: (opened) => cache.isCacheable(opened) || opened.size <= WHOLE_BYTES,
      load: (file) => cache.load(path, file),
      prepare: (headers) => {
        const value = this.#options.cacheControl?.(name, isFallback)
        if (value !== undefined && value !== '') headers.set('cache-control', value)
      },
      onTruncated: () => this.#warn(`${path} became shorter while it was sent`),
    })
  }

  #describe(name: string, coding: Coding, stats: FileIdentity): Representation {
    let representation = this.#described.get(stats)
    // A sidecar can also be asked for by its own name; then it is a plain file.
    if (representation?.coding !== coding) {
      representation = represent(name, coding, stats, this.#options)
      this.#described.set(stats, representation)
    }
    return representation
  }
}

function codingsOf(variants: readonly Variant[]): string {
  return variants.map(({ coding }) => coding).join(', ')
}

/** Sends the client to another spelling of the path on the same host: the path begins with one slash. */
function redirect(ctx: Context, path: string): void {
  const target = ctx.rawQuery === '' ? path : `${path}?${ctx.rawQuery}`
  // A query may hold octets that a Location may not.
  ctx.redirect(target.replaceAll(/[^\x21-\x7e]/g, percentEncoded), 308)
}

/** @param octet As one character (latin1) */
function percentEncoded(octet: string): string {
  return `%${octet.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
}
