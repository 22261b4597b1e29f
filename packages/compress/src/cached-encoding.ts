import type { Context, OutgoingResponse } from '@fw/types'
import { type Codec, codecOf } from './codecs.ts'
import {
  copyOf,
  EncodedCache,
  type EncodedCopy,
  type Fingerprint,
  fingerprintOf,
  isSameBody,
  type PlainBody,
} from './encoded-cache.ts'
import type { Coding, Settings } from './options.ts'
import type { Pool } from './pool.ts'

/** The hit on which a copy is encoded at its slower level. Most bodies are not sent that often. */
const SLOW_HIT = 2
/** Levels for copies: they take 2 to 25 times the CPU time of the default levels, and save 10% to 20% of the bytes. */
const SLOW_LEVELS: Readonly<Record<Coding, number>> = { gzip: 9, br: 9, zstd: 12 }
/** RFC 9111 §5.2.2.5, §5.2.2.7: a response with these directives is for one client, or must not be kept. */
const NOT_SHARED = /(?:^|[\s,])(?:no-store|private)(?:$|[\s,=])/i

/**
 * Largest body of which a copy is kept, in bytes. Its fingerprint is computed on the event loop: 1 ms for these bytes, and 4 ms
 * for text that must be converted.
 */
export const MAX_CACHED_BYTES: number = 1024 * 1024

interface Pending {
  readonly print: Fingerprint
  /** The encoded body; `undefined` if the handler changed its bytes before they were encoded. */
  readonly shared: Promise<Uint8Array | undefined>
}

/** Encodes a body. @param take Returns the bytes to encode, and is called when the encoding begins */
export type Encode = (take: () => string | Uint8Array) => Uint8Array | Promise<Uint8Array>

/** Encodes bodies, and keeps copies. Equal bodies that are requested at the same time are encoded once. */
export class CachedEncoding {
  readonly #cache: EncodedCache
  readonly #pool: Pool
  /** The codecs of the codings whose slower level exceeds the level in use. */
  readonly #slow: ReadonlyMap<Coding, Codec>
  readonly #pending = new Map<string, Pending>()
  /** Whether a copy is being encoded at its slower level. A second one would delay responses that wait for the pool. */
  #isSlow = false

  constructor({ cacheBytes, codings, levels }: Settings, pool: Pool) {
    this.#cache = new EncodedCache(cacheBytes)
    this.#pool = pool
    const slow = codings.filter((coding) => SLOW_LEVELS[coding] > levels[coding])
    this.#slow = new Map(slow.map((coding) => [coding, codecOf(coding, SLOW_LEVELS[coding])]))
  }

  /** Returns the copy of a body, or the result of `encode`, of which it keeps a copy. */
  encode(key: string, coding: Coding, body: PlainBody, encode: Encode): Uint8Array | Promise<Uint8Array> {
    if (body.lengthBytes > MAX_CACHED_BYTES) return encode(() => body.whole)
    const print = fingerprintOf(body)
    const copy = this.#cache.find(key, print)
    if (copy !== undefined) {
      if (copy.hits >= SLOW_HIT && !copy.isShortest) void this.#shorten(key, coding, body, copy)
      return copy.bytes
    }
    const pending = this.#pending.get(key)
    if (pending !== undefined && isSameBody(pending.print, print)) {
      return orElse(pending.shared, () => encode(() => body.whole))
    }
    const taken = new TakenBody(body, print)
    const encoded = encode(() => taken.take())
    if (!(encoded instanceof Promise)) {
      this.#keep(key, coding, print, encoded)
      return encoded
    }
    const shared = this.#keepLater(key, coding, taken, encoded)
    this.#pending.set(key, { print, shared })
    // The same result, which is also sent if it is not shared.
    return shared.then(() => encoded)
  }

  async #keepLater(
    key: string,
    coding: Coding,
    taken: TakenBody,
    encoding: Promise<Uint8Array>,
  ): Promise<Uint8Array | undefined> {
    try {
      const encoded = await encoding
      if (!taken.isSame) return undefined
      this.#keep(key, coding, taken.print, encoded)
      return encoded
    } finally {
      if (this.#pending.get(key)?.print === taken.print) this.#pending.delete(key)
    }
  }

  #keep(key: string, coding: Coding, print: Fingerprint, encoded: Uint8Array): void {
    if (encoded.byteLength < print.lengthBytes) this.#cache.set(key, copyOf(encoded, print, !this.#slow.has(coding)))
  }

  /** Replaces a copy with one from the slower level. Keeps the copy if that level fails, or does not shorten it. */
  async #shorten(key: string, coding: Coding, body: PlainBody, copy: EncodedCopy): Promise<void> {
    const codec = this.#slow.get(coding)
    if (codec === undefined || this.#isSlow) return
    this.#isSlow = true
    try {
      const taken = new TakenBody(body, copy)
      const encoded = await this.#pool.run(async () => {
        const whole = taken.take()
        return taken.isSame ? codec.encodeLater(whole, body.lengthBytes) : undefined
      })
      if (encoded === undefined || !this.#cache.has(key, copy)) return
      const shortest = encoded.byteLength < copy.bytes.byteLength ? encoded : copy.bytes
      this.#cache.set(key, copyOf(shortest, copy, true))
    } catch {
      // Clients get the copy, which is complete. A later hit tries again.
    } finally {
      this.#isSlow = false
    }
  }
}

/**
 * A body that is encoded on the thread pool. The handler can change its bytes before or while they are encoded, so they are
 * copied, and the copy is compared with the fingerprint. The pool limits the number of copies.
 */
class TakenBody {
  readonly print: Fingerprint
  readonly #body: PlainBody
  /** Whether the taken bytes have the fingerprint. */
  isSame = true

  constructor(body: PlainBody, print: Fingerprint) {
    this.#body = body
    this.print = print
  }

  /** Returns the text, or a copy of the bytes. */
  take(): string | Uint8Array {
    const { whole, lengthBytes } = this.#body
    if (typeof whole === 'string') return whole
    const copy = new Uint8Array(whole)
    this.isSame = isSameBody(fingerprintOf({ whole: copy, lengthBytes }), this.print)
    return copy
  }
}

async function orElse(
  shared: Promise<Uint8Array | undefined>,
  encode: () => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  return (await shared) ?? encode()
}

/**
 * Returns the key of a response: authority, target, coding and entity tag. Returns `undefined` for a response of which no copy is
 * kept: without a strong tag, for one client, or other than 200 to GET.
 */
export function cacheKey({ status, headers }: OutgoingResponse, ctx: Context, coding: Coding): string | undefined {
  const etag = headers.get('etag')
  if (status !== 200 || ctx.method !== 'GET' || etag === null || etag.startsWith('W/')) return undefined
  if (headers.has('set-cookie') || NOT_SHARED.test(headers.get('cache-control') ?? '')) return undefined
  const { authority, target } = ctx.exchange
  return `${authority} ${target} ${coding} ${etag}`
}
