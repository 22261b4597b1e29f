import { addVary, FileRequest, type SentFile } from '@fw/http-fields'
import type { BodyEncoder, Context, Middleware, OutgoingResponse } from '@fw/types'
import { isFixed, keepWeakTag, mark } from '../encoded-fields.ts'
import { isCompressible, mediaTypeOf } from '../media-types.ts'
import { chooseCoding } from './choose-coding.ts'
import { type DictionaryCodec, type DictionaryCoding, dictionaryCodec } from './codecs.ts'
import { isReadable } from './cross-origin.ts'
import { type Dictionary, keyOf, parseAvailable } from './dictionary.ts'
import type { DictionarySet } from './dictionary-set.ts'
import { encodedKey } from './encoded-key.ts'
import { EncodingJobs } from './encoding-jobs.ts'
import { FileDictionaries } from './file-dictionaries.ts'
import { LruCache } from './lru-cache.ts'
import { type DictionariesOptions, type DictionarySettings, readOptions } from './options.ts'
import { probeCodec } from './probe.ts'
import { RouteDictionaries } from './route-dictionaries.ts'
import './route-option.ts'
import { isSecureContext } from './secure-context.ts'
import { sendSidecar, sidecarOr } from './sidecars.ts'
import { StreamLimit } from './stream-limit.ts'

const VARY = ['accept-encoding', 'available-dictionary']

/**
 * Longest dictionary for short bodies and streams of unknown length, and for others as a multiple of the body. Clients choose the
 * dictionary, and the time to prepare it is proportional to its length.
 */
const SHORT_BODY_DICTIONARY_BYTES = 1024 * 1024
const MAX_DICTIONARY_FACTOR = 4

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

/** A response that can be encoded. */
interface Candidate {
  readonly response: OutgoingResponse
  readonly ctx: Context
  readonly set: DictionarySet
  /** The key of the dictionary that the client has. */
  readonly key: string | undefined
  /** The file that the response sends. */
  readonly file: SentFile | undefined
}

class DictionaryEncoder {
  readonly #settings: DictionarySettings
  readonly #codecs: ReadonlyMap<DictionaryCoding, DictionaryCodec>
  readonly #files: FileDictionaries | undefined
  readonly #routes: RouteDictionaries
  readonly #encoded: LruCache<{ readonly bytes: Uint8Array }>
  readonly #jobs: EncodingJobs
  readonly #streams: StreamLimit

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
    this.#encoded = new LruCache(settings.cacheBytes)
    this.#jobs = new EncodingJobs(settings.maxPoolJobs, settings.maxWaitingJobs)
    this.#streams = new StreamLimit(settings.maxStreamBytes)
  }

  /** Adds the filter to a request whose response can have or be a dictionary. */
  prepare(ctx: Context): void {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return
    const set = this.#setFor(ctx)
    if (set === undefined || !isSecureContext(ctx)) return
    const available = parseAvailable(ctx.headers.get('available-dictionary'))
    const key = available === undefined ? undefined : keyOf(available)
    ctx.set(FileRequest, new FileRequest(set === this.#files && this.#needsPlainFile(ctx, key)))
    ctx.filterResponse((response) => this.#filter({ response, ctx, set, key, file: sentFile(response, ctx) }))
  }

  #setFor({ route, path }: Context): DictionarySet | undefined {
    const { dictionary, compress } = route?.options ?? {}
    // The length of a response of this route must not depend on its content.
    if (compress === false || dictionary === false) return undefined
    if (route !== undefined && dictionary !== undefined) return this.#routes.of(route, dictionary)
    return this.#files?.matches(path) === true ? this.#files : undefined
  }

  /** Reports whether to request a file instead of its sidecar: to encode it, or because the client may have it encoded. */
  #needsPlainFile(ctx: Context, key: string | undefined): boolean {
    if (key === undefined) return false
    const dictionary = this.#files?.get(key)
    if (dictionary !== undefined && this.#codingFor(ctx, dictionary) !== undefined) return true
    // A sidecar has a strong tag. A weak one is that of a file that was encoded here, which the sidecar's tag never matches.
    return ctx.headers.get('if-none-match')?.includes('W/') === true
  }

  #filter(candidate: Candidate): void {
    const { response, ctx, file } = candidate
    const { headers, status } = response
    if (status !== 200 && status !== 206 && status !== 304) return
    // RFC 9110 §15.4.5: a 304 has the Vary of the 200. It has no type, so neither can depend on the type.
    addVary(headers, ...VARY)
    if (status === 304) return keepWeakTag(headers, ctx)
    if (status === 206 || response.kind === 'none') return
    const dictionary = this.#dictionaryFor(candidate)
    const isEncoded = dictionary !== undefined && this.#encode(candidate, dictionary)
    if (!isEncoded) sendSidecar(response, ctx, file)
  }

  /** Announces a response as a dictionary, and returns the dictionary with which to encode it. */
  #dictionaryFor({ response, ctx, set, key, file }: Candidate): Dictionary | undefined {
    const { headers, lengthBytes } = response
    const contentType = headers.get('content-type')
    if (contentType === null || !isCompressible(mediaTypeOf(contentType))) return undefined
    // The length of a sidecar says nothing about the file.
    const isShort = !headers.has('content-encoding') && lengthBytes !== undefined
    if (isShort && lengthBytes < this.#settings.thresholdBytes) return undefined
    if (!isReadable(ctx.headers, headers)) return undefined
    const offered = set.for(response, ctx, file)
    const isUsable = key !== undefined && !isFixed(response.status, headers)
    const dictionary = isUsable ? offered?.find(key) : undefined
    offered?.announce()
    if (dictionary === undefined) return undefined
    const maxBytes = Math.max(SHORT_BODY_DICTIONARY_BYTES, MAX_DICTIONARY_FACTOR * (lengthBytes ?? 0))
    return dictionary.bytes.byteLength <= maxBytes ? dictionary : undefined
  }

  /** Encodes a response. Reports whether it does; otherwise, the response is unchanged. */
  #encode(candidate: Candidate, dictionary: Dictionary): boolean {
    const { response, ctx } = candidate
    const coding = this.#codingFor(ctx, dictionary)
    const codec = coding === undefined ? undefined : this.#codecs.get(coding)
    if (coding === undefined || codec === undefined) return false
    // Do not compress a body that is not sent. Its compressed length then stays unknown.
    if (response.kind === 'whole' && ctx.method !== 'HEAD') {
      return this.#encodeWhole(candidate, coding, codec, dictionary)
    }
    const { headers, lengthBytes } = response
    const bytes = codec.streamBytes(dictionary, lengthBytes)
    if (ctx.method !== 'HEAD' && (candidate.file?.sidecar !== undefined || !this.#streams.fits(bytes))) return false
    mark(headers, coding)
    const open = (): BodyEncoder => this.#streams.count(codec.stream(dictionary, lengthBytes), bytes)
    response.encode(open, { flushEach: lengthBytes === undefined })
    return true
  }

  #encodeWhole(
    { response, ctx, set, file }: Candidate,
    coding: DictionaryCoding,
    codec: DictionaryCodec,
    dictionary: Dictionary,
  ): boolean {
    const { headers, whole, lengthBytes } = response
    if (whole === null || lengthBytes === undefined) return false
    // A sidecar can be shorter than the encoded file.
    const limitBytes = Math.min(lengthBytes, file?.sidecar?.lengthBytes ?? lengthBytes)
    const key = set === this.#files ? encodedKey(response, ctx, file, coding, dictionary) : undefined
    const keep = (bytes: Uint8Array): void => {
      if (key !== undefined) this.#encoded.add(key, { bytes })
    }
    const known = key === undefined ? undefined : this.#encoded.get(key)?.bytes
    const isSync = coding === 'dcz' && lengthBytes + dictionary.bytes.byteLength <= this.#settings.maxSyncBytes
    if (known !== undefined || isSync) {
      const encoded = known ?? codec.encode(whole, lengthBytes, dictionary)
      if (known === undefined) keep(encoded)
      if (encoded.byteLength >= limitBytes) return false
      mark(headers, coding)
      response.replace(encoded)
      return true
    }
    const job = this.#jobs.run(key, ctx.signal, () => codec.encodeLater(whole, lengthBytes, dictionary))
    if (job === undefined) return false
    const later = async (): Promise<string | Uint8Array> => {
      const encoded = await job
      if (encoded === undefined) return whole
      keep(encoded)
      if (encoded.byteLength >= limitBytes) return sidecarOr(whole, headers, file?.sidecar)
      mark(headers, coding)
      return encoded
    }
    response.replaceLater(later())
    return true
  }

  #codingFor(ctx: Context, { bytes }: Dictionary): DictionaryCoding | undefined {
    const { codings, maxBrotliDictionaryBytes } = this.#settings
    const isShort = bytes.byteLength <= maxBrotliDictionaryBytes
    const usable = isShort ? codings : codings.filter((coding) => coding !== 'dcb')
    return chooseCoding(ctx.headers.get('accept-encoding'), usable)
  }
}

/** Returns the file that a response sends, unless an inner filter has changed the body. */
function sentFile({ whole, lengthBytes }: OutgoingResponse, ctx: Context): SentFile | undefined {
  const sent = ctx.get(FileRequest)?.sent
  return sent !== undefined && (whole ?? undefined) === sent.bytes && lengthBytes === sent.lengthBytes
    ? sent
    : undefined
}
