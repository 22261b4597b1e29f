/** Memory of an entry besides its bytes and its key, so that many short values are counted too. */
const ENTRY_BYTES = 512
/** Memory of a character of a key. */
const CHARACTER_BYTES = 2

/** Holds values in a limited amount of memory. Drops the least recently used ones first. */
export class LruCache<V extends { readonly bytes: Uint8Array }> {
  readonly #maxBytes: number
  readonly #entries = new Map<string, V>()
  #bytes = 0

  /** @param maxBytes Maximum memory in bytes; 0 holds nothing */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The memory in use, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns a value, and counts that as a use. */
  get(key: string): V | undefined {
    const found = this.#entries.get(key)
    if (found === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, found)
    return found
  }

  /** Reports whether a value with these lengths can be held, after others are dropped. */
  fits(keyLength: number, lengthBytes: number): boolean {
    return costOf(keyLength, lengthBytes) <= this.#maxBytes
  }

  /** Adds a value with a copy of its bytes, if it fits and the key is new. */
  add(key: string, value: V): void {
    const { byteLength } = value.bytes
    if (!this.fits(key.length, byteLength) || this.#entries.has(key)) return
    // Short buffers are parts of a larger one, which they would keep in memory. A handler can reuse its buffer.
    this.#entries.set(key, { ...value, bytes: new Uint8Array(value.bytes) })
    this.#bytes += costOf(key.length, byteLength)
    for (const [oldest, { bytes: dropped }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      this.#entries.delete(oldest)
      this.#bytes -= costOf(oldest.length, dropped.byteLength)
    }
  }
}

function costOf(keyLength: number, lengthBytes: number): number {
  return lengthBytes + CHARACTER_BYTES * keyLength + ENTRY_BYTES
}
