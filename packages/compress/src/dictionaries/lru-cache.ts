/** Memory of an entry besides its bytes, so that many short values are counted too. */
const ENTRY_BYTES = 512

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

  /** Reports whether a value of this length can be held, after others are dropped. */
  fits(lengthBytes: number): boolean {
    return lengthBytes + ENTRY_BYTES <= this.#maxBytes
  }

  /** Adds a value, if it fits and the key is new. */
  add(key: string, value: V): void {
    const { byteLength } = value.bytes
    if (!this.fits(byteLength) || this.#entries.has(key)) return
    this.#entries.set(key, value)
    this.#bytes += byteLength + ENTRY_BYTES
    for (const [oldest, { bytes: dropped }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      this.#entries.delete(oldest)
      this.#bytes -= dropped.byteLength + ENTRY_BYTES
    }
  }
}
