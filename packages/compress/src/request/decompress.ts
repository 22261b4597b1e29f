import { declareRouteOption, flag, HttpError, withCode } from '@fw/options'
import type { BodyDecoder, Middleware } from '@fw/types'
import { type DecompressOptions, readDecompressOptions } from './decompress-options.ts'
import { decoderOf } from './decoder.ts'

declare module '@fw/types' {
  interface RouteOptions {
    /**
     * `false` leaves request bodies of this route encoded, for a handler that needs the received bytes. It has no effect without a
     * `decompress` around the route.
     */
    readonly decompress?: boolean | undefined
  }
}

declareRouteOption('decompress', flag)

/** Other name of a coding that recipients must accept (RFC 9110 §8.4.1.3). */
const X_GZIP = 'x-gzip'

/**
 * Decodes request bodies with the coding of their `Content-Encoding`, in every method that reads a body. Nothing is decoded
 * before the handler reads, so that a refused request costs no CPU time.
 *
 * The route's `maxBodyBytes` limits the encoded and the decoded bytes separately. A read rejects with 413 as soon as a
 * body exceeds it or `maxRatio`. It rejects with 415 for several codings or an unknown one, and with 400 if the body is
 * malformed, ends early, or continues after its end.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type
 * @throws {RangeError} if the ratio is below 1
 *
 * @example
 * router.use(decompress())
 * router.post('/items', async (ctx) => save(await ctx.json()))
 * router.post('/signed', { decompress: false }, handler)
 */
export function decompress(options: DecompressOptions = {}): Middleware {
  const { codings, maxRatio } = readDecompressOptions(options)
  const decoders = new Map<string, BodyDecoder>(codings.map((coding) => [coding, decoderOf(coding, maxRatio)]))
  const gzip = decoders.get('gzip')
  if (gzip !== undefined) decoders.set(X_GZIP, gzip)
  const accepted = codings.join(', ')
  const refuse: BodyDecoder = () => {
    const message = `The content-encoding of the body must be one of ${accepted}`
    throw withCode('FW_UNSUPPORTED_TYPE', new HttpError(415, message, { 'accept-encoding': accepted }))
  }
  return (ctx, next) => {
    const field = ctx.headers.get('content-encoding')
    const [coding, ...others] = field === null ? [] : appliedCodings(field)
    if (coding !== undefined && ctx.route?.options.decompress !== false) {
      // Each further coding would multiply the ratio of a bomb.
      ctx.decodeBody((others.length === 0 ? decoders.get(coding) : undefined) ?? refuse)
    }
    return next()
  }
}

/** Returns the codings of a `Content-Encoding` field in lower case, without `identity`, which changes nothing. */
function appliedCodings(field: string): readonly string[] {
  const names = field.split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity')
}
