import type { Context, OutgoingResponse } from '@fw/types'
import type { DictionaryCoding } from './codecs.ts'
import { type Dictionary, keyOf } from './dictionary.ts'
import { LruCache } from './lru-cache.ts'

/** Encoded files in a limited amount of memory, so that a file is encoded once for all clients with the same dictionary. */
export class EncodedFiles {
  readonly #cache: LruCache<{ readonly bytes: Uint8Array }>
  readonly #running = new Map<string, Promise<Uint8Array>>()

  constructor(maxBytes: number) {
    this.#cache = new LruCache(maxBytes)
  }

  /** Returns the key of an encoded response; `undefined` without a strong tag, because its bytes can then change. */
  keyFor(
    { headers }: OutgoingResponse,
    ctx: Context,
    coding: DictionaryCoding,
    { digest }: Dictionary,
  ): string | undefined {
    const etag = headers.get('etag')
    if (etag === null || etag.startsWith('W/')) return undefined
    return `${coding} ${keyOf(digest)} ${etag} ${ctx.exchange.authority} ${ctx.path}?${ctx.rawQuery}`
  }

  get(key: string): Uint8Array | undefined {
    return this.#cache.get(key)?.bytes
  }

  add(key: string, bytes: Uint8Array): void {
    this.#cache.add(key, { bytes })
  }

  /** Runs a job that encodes a file, or returns the promise of the same job in progress. */
  async run(key: string, job: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const started = job()
    this.#running.set(key, started)
    try {
      const bytes = await started
      this.add(key, bytes)
      return bytes
    } finally {
      this.#running.delete(key)
    }
  }
}
