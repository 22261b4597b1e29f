import { HttpError, showValue, withCode } from '@fw/options'
import type { Context, ResponseHeaders } from '@fw/types'
import { gatherAbsence } from './paths/absence.ts'
import { FileCache } from './files/cache.ts'
import { deliver, deliverLoaded, type Labels } from './deliver.ts'
import { fallbackRule } from './http/fallback.ts'
import { fileFailure, type FileFailure } from './files/file-failure.ts'
import { FileStat } from './paths/file-stat.ts'
import { Finder } from './paths/finder.ts'
import type { Resolution } from './paths/resolution.ts'
import { refuse } from './http/refuse.ts'
import { KnownPaths } from './paths/known-paths.ts'
import { belowPrefix, locate, locateIn, type PathLocation } from './paths/locate.ts'
import type { ResolvedOptions } from './options.ts'
import { acceptedCodings } from './http/precompressed.ts'
import { represent } from './http/representation.ts'
import { isSameState } from './files/file-identity.ts'
import { type FileSource, type MemorySource, openSource, WHOLE_BYTES } from './files/source.ts'
import type { Variant } from './paths/resolution.ts'
import { addVary, FileRequest, type Sidecar } from '@fw/http-fields'
import { limitedWarnings, loadLog, ownWarnings } from './warnings.ts'

/** Key of the fallback file among the known paths. No request path is empty. */
const FALLBACK = ''

/** Serves the files of one directory under one prefix. */
export class Mount {
  readonly #base: string
  readonly #prefixSegments: number
  readonly #options: ResolvedOptions
  readonly #files: FileStat
  readonly #finder: Finder
  readonly #known: KnownPaths
  readonly #cache: FileCache
  readonly #warn: (message: string) => void

  /**
   * @param base Directory with a trailing separator
   * @param prefixSegments Number of path segments before the segments of the file
   * @param files Makes the stat calls
   */
  constructor(base: string, prefixSegments: number, options: ResolvedOptions, files: FileStat = new FileStat()) {
    this.#base = base
    this.#prefixSegments = prefixSegments
    this.#options = options
    this.#files = files
    this.#finder = new Finder(this.#files, options)
    this.#known = new KnownPaths(this.#files)
    this.#cache = new FileCache({ ...options, base })
    void loadLog()
    this.#warn = options.onWarning === undefined ? limitedWarnings() : ownWarnings(options.onWarning)
  }

  /** Answers one request, synchronously if the file is in memory. */
  serve(ctx: Context): Promise<void> | undefined {
    const known = this.#known.get(ctx.path)
    const best = known === undefined ? undefined : this.#bestOf(ctx, known)
    if (known === undefined || best === undefined) return this.#serve(ctx)
    const isSame = this.#known.isUnchanged(known, best, isShared(ctx))
    if (isSame === 'unknown') return this.#serveLater(ctx, known, best)
    return isSame && this.#sendFromMemory(ctx, known, best, false) ? undefined : this.#serve(ctx)
  }

  /** Answers a request after stat calls in the thread pool, for slow disks. */
  async #serveLater(ctx: Context, known: Resolution, best: Variant): Promise<void> {
    const isSame = await this.#known.isUnchangedLater(known, best)
    if (!isSame || !this.#sendFromMemory(ctx, known, best, false)) await this.#serve(ctx)
  }

  async #serve(ctx: Context): Promise<void> {
    const location = locate(this.#base, belowPrefix(ctx.path, this.#prefixSegments), this.#options)
    if (location.kind === 'refused') await ctx.notFound()
    else await this.#serveAt(ctx, location)
  }

  async #serveAt(ctx: Context, at: PathLocation): Promise<void> {
    try {
      const found = await this.#finder.find(at)
      const failure = found === undefined ? 'missing' : await this.#respond(ctx, at, found)
      if (failure === 'missing') await this.#miss(ctx, at.name)
      else if (failure !== undefined) await refuse(ctx, failure, at.file, this.#warn)
    } catch (error) {
      const failure = ctx.headSent ? undefined : fileFailure(error)
      if (failure === undefined) throw error
      await refuse(ctx, failure, at.file, this.#warn)
    }
  }

  /** Answers a request for an existing file. Returns the failure if the file cannot be opened. */
  async #respond(ctx: Context, at: PathLocation, found: Resolution): Promise<FileFailure | undefined> {
    const path = properPath(ctx.path, at, found)
    if (path === ctx.path) {
      await this.#remember(path, found)
      return this.#send(ctx, found, false)
    }
    const failure = await this.#failureOf(found)
    if (failure === undefined) redirect(ctx, path)
    return failure
  }

  /** Returns the reason why a file cannot be opened. A redirect to such a file would reveal its existence. */
  async #failureOf({ variants }: Resolution): Promise<FileFailure | undefined> {
    const plain = variants.at(-1)
    const opened = plain === undefined ? 'missing' : await openSource(plain.path, this.#base, this.#options.symlinks)
    if (typeof opened === 'string') return opened
    await opened.close()
    return undefined
  }

  /** Sends the fallback file or 404 for a path without a file. */
  async #miss(ctx: Context, name: string): Promise<void> {
    if (this.#options.spa) {
      const rule = fallbackRule(name, ctx.headers.get('accept'))
      if (rule.dependsOnAccept) addVary(ctx.responseHeaders, 'Accept')
      if (rule.applies && (await this.#sendFallback(ctx))) return
    }
    await ctx.notFound()
  }

  async #sendFallback(ctx: Context): Promise<boolean> {
    if (await this.#sendKnownFallback(ctx)) return true
    const { fallbackFile } = this.#options
    const path = locateIn(this.#base, fallbackFile)
    const found = await this.#finder.findFile(path, `/${fallbackFile}`)
    if (found === undefined) return false
    await this.#remember(FALLBACK, found)
    const failure = await this.#send(ctx, found, true)
    if (failure === undefined) return true
    if (failure === 'missing') return false
    await refuse(ctx, failure, path, this.#warn)
    return true
  }

  /** Sends the fallback file if it is in memory. In a single-page application, most paths lead to this file. */
  async #sendKnownFallback(ctx: Context): Promise<boolean> {
    const known = this.#known.get(FALLBACK)
    const best = known === undefined ? undefined : this.#bestOf(ctx, known)
    if (known === undefined || best === undefined) return false
    const state = this.#known.isUnchanged(known, best, isShared(ctx))
    const isSame = state === 'unknown' ? await this.#known.isUnchangedLater(known, best) : state
    return isSame && this.#sendFromMemory(ctx, known, best, true)
  }

  /** Sends the best variant of a file that can be opened. Returns the last failure if no variant can. */
  async #send(ctx: Context, found: Resolution, isFallback: boolean): Promise<FileFailure | undefined> {
    const { variants } = found
    // RFC 9110 §12.5.5: every response that depends on the field needs Vary, including a 304.
    if (variants.length > 1) addVary(ctx.responseHeaders, 'Accept-Encoding')
    const accepted = this.#acceptable(ctx, found)
    if (accepted.length === 0) {
      throw withCode('FW_NOT_ACCEPTABLE', new HttpError(406, `The file is available as ${codingsOf(variants)}`))
    }
    let failure: FileFailure | undefined
    for (const variant of accepted) {
      failure = await this.#deliver(ctx, found, variant, isFallback)
      if (failure === undefined || failure === 'exhausted') return failure
    }
    return failure
  }

  /** Sends a variant if it is in memory. Reports whether it was sent. */
  #sendFromMemory(ctx: Context, found: Resolution, best: Variant, isFallback: boolean): boolean {
    const source = this.#cache.hit(best.path, best.stats)
    if (source === undefined) return false
    if (found.variants.length > 1) addVary(ctx.responseHeaders, 'Accept-Encoding')
    const { name, coding, stats } = best
    const representation = (best.representation ??= represent(name, coding, stats, this.#options))
    deliverLoaded(ctx, representation, source, this.#labels(ctx, found, best, isFallback))
    return true
  }

  #deliver(ctx: Context, found: Resolution, variant: Variant, isFallback: boolean): Promise<FileFailure | undefined> {
    const cache = this.#cache
    const { path, name, coding, stats } = variant
    return deliver(ctx, {
      ...this.#labels(ctx, found, variant, isFallback),
      open: () => cache.open(path, stats),
      describe: (opened) => represent(name, coding, opened, this.#options),
      isLoaded: (file) => cache.admits(file),
      load: (file, before) => cache.load(path, file, before),
      onCut: () => this.#warn(`${path} changed while it was being sent`),
    })
  }

  #labels(ctx: Context, { variants }: Resolution, { name, coding, path }: Variant, isFallback: boolean): Labels {
    const replaced = coding === 'identity' && isPlainRequested(ctx) ? preferred(ctx, variants) : undefined
    return {
      path: variants.at(-1)?.path ?? path,
      sidecar: replaced === undefined || replaced.coding === 'identity' ? undefined : this.#sidecar(ctx, replaced),
      prepare: this.#preparation(name, isFallback),
    }
  }

  #sidecar(ctx: Context, { path, name, coding, stats }: Variant): Sidecar {
    const { etag, size } = represent(name, coding, stats, this.#options)
    const cache = this.#cache
    const read = async (): Promise<Uint8Array | undefined> => {
      const source = await cache.open(path, stats)
      if (typeof source === 'string') return undefined
      const loaded = 'bytes' in source ? source : await loadAndClose(cache, path, source)
      if (loaded === undefined || !isSameState(loaded.stats, stats)) return undefined
      if (loaded.borrow !== undefined) ctx.onFinish(loaded.borrow())
      return loaded.bytes
    }
    return { coding, etag, lengthBytes: size, read }
  }

  /** Returns the variants that the client accepts, the preferred one first. */
  #acceptable(ctx: Context, { variants }: Resolution): readonly Variant[] {
    const plain = this.#plainOf(ctx, variants)
    if (plain !== undefined) return [plain]
    const codings = acceptedCodings(ctx.headers.get('accept-encoding'))
    return codings.flatMap((coding) => variants.filter((variant) => variant.coding === coding))
  }

  /** Returns the variant that the client prefers, without allocating a list. */
  #bestOf(ctx: Context, { variants }: Resolution): Variant | undefined {
    return this.#plainOf(ctx, variants) ?? preferred(ctx, variants)
  }

  /**
   * Returns the file itself if it has no sidecar, or if middleware encodes it. A file that is streamed is an exception: only an
   * encoded body in memory shows whether it is shorter than the sidecar.
   */
  #plainOf(ctx: Context, variants: readonly Variant[]): Variant | undefined {
    const plain = variants.at(-1)
    if (plain === undefined || variants.length === 1) return plain
    const isWhole = plain.stats.size <= WHOLE_BYTES || this.#cache.isCacheable(plain.stats)
    return isWhole && isPlainRequested(ctx) ? plain : undefined
  }

  /** Stores the file for a path if the file fits into the cache. */
  async #remember(path: string, found: Resolution): Promise<void> {
    if (!found.variants.some(({ stats }) => this.#cache.isCacheable(stats))) return
    this.#known.set(path, await gatherAbsence(found, this.#files))
  }

  #preparation(name: string, isFallback: boolean): (headers: ResponseHeaders) => void {
    const { cacheControl } = this.#options
    if (cacheControl === undefined) return nothing
    return (headers) => {
      const value: unknown = cacheControl(name, isFallback)
      if (value === undefined || value === '') return
      if (typeof value !== 'string') {
        throw withCode(
          'FW_INVALID_RETURN',
          new TypeError(
            `staticFiles: cacheControl must return a string or undefined, got ${showValue(value)} for ${name}. Return, for example, 'no-cache'.`,
          ),
        )
      }
      headers.set('cache-control', value)
    }
  }
}

/**
 * Reports whether requests in one event-loop turn can share a stat call. Without a network connection, a client can change a
 * file between two requests in one turn.
 */
function isShared(ctx: Context): boolean {
  return ctx.exchange.remotePort !== undefined
}

function isPlainRequested(ctx: Context): boolean {
  return ctx.get(FileRequest)?.isPlain === true
}

/** Returns the variant that the client prefers. */
function preferred(ctx: Context, variants: readonly Variant[]): Variant | undefined {
  for (const coding of acceptedCodings(ctx.headers.get('accept-encoding'))) {
    for (const variant of variants) if (variant.coding === coding) return variant
  }
  return undefined
}

async function loadAndClose(cache: FileCache, path: string, file: FileSource): Promise<MemorySource | undefined> {
  try {
    const loaded = cache.admits(file) ? await cache.load(path, file) : undefined
    return loaded !== undefined && 'bytes' in loaded ? loaded : undefined
  } finally {
    await file.close()
  }
}

function nothing(): void {}

function codingsOf(variants: readonly Variant[]): string {
  return variants.map(({ coding }) => coding).join(', ')
}

/** Returns the canonical path of a file. */
function properPath(path: string, at: PathLocation, { isUnslashed }: Resolution): string {
  // Routes and middleware matched the path with its repeated slashes, so a guard may not have matched it.
  if (at.isRedundant) return path.replaceAll(/\/{2,}/g, '/')
  return isUnslashed === true ? `${path}/` : path
}

/** Redirects to the canonical path. It begins with exactly one slash, so it cannot name another host. */
function redirect(ctx: Context, path: string): void {
  const target = ctx.rawQuery === '' ? path : `${path}?${ctx.rawQuery}`
  // A query can contain bytes that are invalid in Location.
  ctx.redirect(target.replaceAll(/[^\x21-\x7e]/g, percentEncoded), 308)
}

/** Percent-encodes a byte, given as one character (latin1). */
function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`
}
