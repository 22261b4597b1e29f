import { acceptedCodings, addVary } from '@fw/http-fields'
import { declareRouteOption, flag } from '@fw/options'
import type { Context, Middleware, OutgoingResponse } from '@fw/types'
import { CachedEncoding, cacheKey } from './cached-encoding.ts'
import { type Codec, codecOf } from './codecs.ts'
import type { PlainBody } from './encoded-cache.ts'
import { isFixed, keepWeakTag, mark } from './encoded-fields.ts'
import { EVENT_STREAM, isCompressible, mediaTypeOf } from './media-types.ts'
import { type Coding, type CompressOptions, readOptions, type Settings } from './options.ts'
import { Pool } from './pool.ts'
import { streamEncoder } from './stream-encoder.ts'

declare module '@fw/types' {
  interface RouteOptions {
    /** `false` sends this route's responses uncompressed. Has no effect on routes without `compress`. */
    readonly compress?: boolean | undefined
  }
}

declareRouteOption('compress', flag)

/**
 * Cache of parsed field values. Browsers send only a few different values; the limits restrict what other clients can
 * add.
 */
const MAX_KNOWN_FIELDS = 64
const MAX_KNOWN_LENGTH = 128

/**
 * Compresses responses with zstd, Brotli or gzip: whole bodies, streams, large files and error pages. The client chooses with
 * `Accept-Encoding`.
 *
 * Leaves a response unchanged if it has a `content-encoding` or `content-range`, a digest, `no-transform`, a type that
 * does not shrink, or fewer than `thresholdBytes`. A strong entity tag becomes weak.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type
 * @throws {RangeError} if a number is out of range
 *
 * @example
 * router.use(compress())
 * router.get('/token', { compress: false }, handler)
 */
export function compress(options: CompressOptions = {}): Middleware {
  const settings = readOptions(options)
  const compressor = new Compressor(settings)
  const filter = (response: OutgoingResponse, ctx: Context): void => compressor.filter(response, ctx)
  return (ctx, next) => {
    if (ctx.route?.options.compress !== false) ctx.filterResponse(filter)
    return next()
  }
}

class Compressor {
  readonly #settings: Settings
  readonly #codecs: ReadonlyMap<Coding, Codec>
  readonly #pool: Pool
  readonly #cache: CachedEncoding | undefined
  readonly #offered: readonly (Coding | 'identity')[]
  readonly #known = new Map<string, Coding | undefined>()

  constructor(settings: Settings) {
    this.#settings = settings
    this.#codecs = new Map(settings.codings.map((coding) => [coding, codecOf(coding, settings.levels[coding])]))
    this.#pool = new Pool(settings.maxPoolJobs)
    this.#cache = settings.cacheBytes === 0 ? undefined : new CachedEncoding(settings, this.#pool)
    this.#offered = [...settings.codings, 'identity']
  }

  filter(response: OutgoingResponse, ctx: Context): void {
    const { headers, kind, status } = response
    if (status === 304) return keepWeakTag(headers, ctx)
    if (kind === 'none' || isFixed(status, headers)) return
    const contentType = headers.get('content-type')
    if (contentType === null) return
    const type = mediaTypeOf(contentType)
    const isEvents = type === EVENT_STREAM
    if (isEvents ? !this.#settings.eventStreams : !isCompressible(type)) return
    const { lengthBytes } = response
    if (lengthBytes !== undefined && lengthBytes < this.#settings.thresholdBytes) return

    addVary(headers, 'accept-encoding')
    if (this.#settings.skipsCrossSite && isCrossSiteWithCredentials(ctx)) return
    const coding = this.#codingFor(ctx.headers.get('accept-encoding'))
    const codec = coding === undefined ? undefined : this.#codecs.get(coding)
    if (coding === undefined || codec === undefined) return
    // Do not compress a body that is not sent. Its compressed length then remains unknown.
    if (kind === 'stream' || ctx.method === 'HEAD') {
      mark(headers, coding)
      // A body of unknown length can pause for a long time. Its client must not wait for the next piece.
      const flushEach = isEvents || lengthBytes === undefined
      response.encode(() => streamEncoder(codec.stream(isEvents), codec.flushKind), { flushEach })
    } else this.#encodeWhole(response, ctx, coding, codec)
  }

  #encodeWhole(response: OutgoingResponse, ctx: Context, coding: Coding, codec: Codec): void {
    const { whole, lengthBytes = 0, headers } = response
    if (whole === null) return
    const body = { whole, lengthBytes }
    const cache = this.#cache
    const key = cache === undefined ? undefined : cacheKey(response, ctx, coding)
    const encoded =
      cache === undefined || key === undefined
        ? this.#encode(body, codec)
        : cache.encode(key, coding, body, (take) => this.#encode(body, codec, take))
    if (encoded instanceof Promise) {
      mark(headers, coding)
      response.replaceLater(encoded)
    } else if (encoded.byteLength < lengthBytes) {
      mark(headers, coding)
      response.replace(encoded)
    }
  }

  /** @param take Returns the bytes when the thread pool begins to encode them */
  #encode(
    { whole, lengthBytes }: PlainBody,
    codec: Codec,
    take: () => string | Uint8Array = () => whole,
  ): Uint8Array | Promise<Uint8Array> {
    if (lengthBytes <= this.#settings.maxSyncBytes) return codec.encode(whole, lengthBytes)
    return this.#pool.run(() => codec.encodeLater(take(), lengthBytes))
  }

  /** Returns the coding for an `Accept-Encoding` field, or `undefined` to send the body unchanged. */
  #codingFor(acceptEncoding: string | null): Coding | undefined {
    if (acceptEncoding === null) return undefined
    if (this.#known.has(acceptEncoding)) return this.#known.get(acceptEncoding)
    const [best] = acceptedCodings(acceptEncoding, this.#offered)
    const coding = best === 'identity' ? undefined : best
    if (acceptEncoding.length <= MAX_KNOWN_LENGTH) {
      if (this.#known.size === MAX_KNOWN_FIELDS) this.#known.clear()
      this.#known.set(acceptEncoding, coding)
    }
    return coding
  }
}

/** Reports whether another site caused a request with cookies or credentials, whose response can contain a secret. */
function isCrossSiteWithCredentials({ headers }: Context): boolean {
  const site = headers.get('sec-fetch-site')
  const isOwn = site === null || site === 'same-origin' || site === 'none'
  return !isOwn && (headers.has('cookie') || headers.has('authorization'))
}
