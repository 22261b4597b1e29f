import { addVary, PlainBody } from '@fw/http-fields'
import type { Context, Middleware, OutgoingResponse } from '@fw/types'
import { isFixed, keepWeakTag, mark } from '../encoded-fields.ts'
import { isCompressible, mediaTypeOf } from '../media-types.ts'
import { Pool } from '../pool.ts'
import { chooseCoding } from './choose-coding.ts'
import { type DictionaryCodec, type DictionaryCoding, dictionaryCodec } from './codecs.ts'
import { isReadable } from './cross-origin.ts'
import { type Dictionary, keyOf, parseAvailable } from './dictionary.ts'
import type { DictionarySet } from './dictionary-set.ts'
import { EncodedFiles } from './encoded-files.ts'
import { FileDictionaries } from './file-dictionaries.ts'
import { type DictionariesOptions, type DictionarySettings, readOptions } from './options.ts'
import { probeCodec } from './probe.ts'
import { RouteDictionaries } from './route-dictionaries.ts'
import './route-option.ts'
import { isSecureContext } from './secure-context.ts'

const VARY = ['accept-encoding', 'available-dictionary']

/**
 * Compresses responses with earlier ones that the client still has (RFC 9842): new versions of files, and repeated responses of
 * routes. Browsers offer dictionaries over TLS and on localhost.
 *
 * Register it inside `compress()`, which compresses the responses that this middleware leaves unchanged.
 *
 * @throws {TypeError} if an option is unknown, has the wrong type, or is missing
 * @throws {RangeError} if a number is out of range
 * @throws {Error} if `source` cannot be read, or Node.js does not support a coding
 *
 * @example
 * router.use(compress(), dictionaries({ match: '/app/*.js', destinations: ['script'], source: 'earlier' }))
 * router.get('/api/list', { dictionary: { match: '/api/list*' } }, handler)
 */
export function dictionaries(options: DictionariesOptions = {}): Middleware {
  const encoder = new DictionaryEncoder(options)
  return (ctx, next) => {
    encoder.prepare(ctx)
    return next()
  }
}

class DictionaryEncoder {
  readonly #settings: DictionarySettings
  readonly #codecs: ReadonlyMap<DictionaryCoding, DictionaryCodec>
  readonly #files: FileDictionaries | undefined
  readonly #routes: RouteDictionaries
  readonly #encodedFiles: EncodedFiles
  readonly #pool: Pool

  constructor(options: DictionariesOptions) {
    const settings = readOptions(options)
    this.#settings = settings
    this.#codecs = new Map(settings.codings.map((coding) => [coding, dictionaryCodec(coding, settings.levels[coding])]))
    for (const [coding, codec] of this.#codecs) probeCodec(coding, codec)
    const { match, source } = options
    this.#files =
      match === undefined || source === undefined
        ? undefined
        : new FileDictionaries({ ...options, match, source }, settings.maxSourceBytes)
    this.#routes = new RouteDictionaries(settings.maxDictionaryBytes)
    this.#encodedFiles = new EncodedFiles(settings.cacheBytes)
    this.#pool = new Pool(settings.maxPoolJobs)
  }

  /** Adds the filter to a request whose response can have or be a dictionary. */
  prepare(ctx: Context): void {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return
    const set = this.#setFor(ctx)
    if (set === undefined || !isSecureContext(ctx)) return
    const available = parseAvailable(ctx.headers.get('available-dictionary'))
    const key = available === undefined ? undefined : keyOf(available)
    if (set.isOfFiles) this.#requestPlainFile(ctx, key)
    ctx.filterResponse((response) => this.#filter(response, ctx, set, key))
  }

  #setFor(ctx: Context): DictionarySet | undefined {
    const option = ctx.route?.options.dictionary
    if (option === false) return undefined
    if (option !== undefined) return this.#routes.of(option)
    return this.#files?.matches(ctx) === true ? this.#files : undefined
  }

  /** Asks for the file instead of its sidecar, if a dictionary makes it shorter, or if the client may still have it. */
  #requestPlainFile(ctx: Context, key: string | undefined): void {
    if (key === undefined) return
    const dictionary = this.#files?.get(key)
    const coding = dictionary === undefined ? undefined : this.#codingFor(ctx, dictionary)
    // A sidecar has a strong tag. A weak one is that of a file that was encoded here, which the sidecar's tag never matches.
    const hasEncoded = ctx.headers.get('if-none-match')?.includes('W/') === true
    if (coding !== undefined || hasEncoded) ctx.set(PlainBody, new PlainBody(coding ?? 'identity'))
  }

  #filter(response: OutgoingResponse, ctx: Context, set: DictionarySet, key: string | undefined): void {
    const { headers, kind, status } = response
    if (status === 304) {
      // RFC 9110 §15.4.5: a 304 has the Vary of the 200.
      addVary(headers, ...VARY)
      return keepWeakTag(headers, ctx)
    }
    if ((status !== 200 && status !== 206) || kind === 'none') return
    const contentType = headers.get('content-type')
    if (contentType === null || !isCompressible(mediaTypeOf(contentType))) return
    const { lengthBytes } = response
    // The length of a range says nothing about the whole body.
    const isShort = status === 200 && lengthBytes !== undefined && lengthBytes < this.#settings.thresholdBytes
    if (isShort) return
    addVary(headers, ...VARY)
    if (status === 206 || !isReadable(ctx.headers, headers)) return
    const dictionary = key === undefined || isFixed(status, headers) ? undefined : set.find(key, response, ctx)
    set.announce(response, ctx)
    if (dictionary !== undefined) this.#encode(response, ctx, set, dictionary)
  }

  #encode(response: OutgoingResponse, ctx: Context, set: DictionarySet, dictionary: Dictionary): void {
    const { headers, kind, lengthBytes } = response
    const coding = this.#codingFor(ctx, dictionary)
    const codec = coding === undefined ? undefined : this.#codecs.get(coding)
    if (coding === undefined || codec === undefined) return
    // Do not compress a body that is not sent. Its compressed length then stays unknown.
    if (kind === 'stream' || ctx.method === 'HEAD') {
      mark(headers, coding)
      response.encode(() => codec.stream(dictionary, lengthBytes), { flushEach: lengthBytes === undefined })
      return
    }
    const key = set.isOfFiles ? this.#encodedFiles.keyFor(response, ctx, coding, dictionary) : undefined
    const known = key === undefined ? undefined : this.#encodedFiles.get(key)
    if (known === undefined) this.#encodeWhole(response, coding, codec, dictionary, key)
    else {
      mark(headers, coding)
      response.replace(known)
    }
  }

  /** @param key The key of a file to keep encoded */
  #encodeWhole(
    response: OutgoingResponse,
    coding: DictionaryCoding,
    codec: DictionaryCodec,
    dictionary: Dictionary,
    key: string | undefined,
  ): void {
    const { headers, whole, lengthBytes } = response
    if (whole === null || lengthBytes === undefined) return
    if (coding === 'dcb' || lengthBytes + dictionary.bytes.byteLength > this.#settings.maxSyncBytes) {
      const job = (): Promise<Uint8Array> => this.#pool.run(() => codec.encodeLater(whole, lengthBytes, dictionary))
      mark(headers, coding)
      response.replaceLater(key === undefined ? job() : this.#encodedFiles.run(key, job))
      return
    }
    const encoded = codec.encode(whole, lengthBytes, dictionary)
    if (encoded.byteLength >= lengthBytes) return
    if (key !== undefined) this.#encodedFiles.add(key, encoded)
    mark(headers, coding)
    response.replace(encoded)
  }

  #codingFor(ctx: Context, { bytes }: Dictionary): DictionaryCoding | undefined {
    const { codings, maxBrotliDictionaryBytes } = this.#settings
    const isShort = bytes.byteLength <= maxBrotliDictionaryBytes
    const usable = isShort ? codings : codings.filter((coding) => coding !== 'dcb')
    return chooseCoding(ctx.headers.get('accept-encoding'), usable)
  }
}
