import type { Dictionary } from './dictionary.ts'

/** Memory of an entry besides its bytes, so that many short responses are counted too. */
const ENTRY_BYTES = 512

/** Holds dictionaries in a limited amount of memory. Drops the least recently used ones first. */
export class HeldResponses {
  readonly #maxBytes: number
  readonly #entries = new Map<string, Dictionary>()
  #bytes = 0

  /** @param maxBytes Maximum memory in bytes; 0 holds nothing */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The memory in use, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns a dictionary, and counts that as a use. */
  get(key: string): Dictionary | undefined {
    const found = this.#entries.get(key)
    if (found === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, found)
    return found
  }

  /** Reports whether a dictionary of this length can be held, after others are dropped. */
  fits(lengthBytes: number): boolean {
    return lengthBytes + ENTRY_BYTES <= this.#maxBytes
  }

  /** Adds a dictionary, if it fits. */
  add(key: string, dictionary: Dictionary): void {
    const bytes = dictionary.bytes.byteLength + ENTRY_BYTES
    if (!this.fits(dictionary.bytes.byteLength) || this.#entries.has(key)) return
    this.#entries.set(key, dictionary)
    this.#bytes += bytes
    for (const [oldest, { bytes: dropped }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      this.#entries.delete(oldest)
      this.#bytes -= dropped.byteLength + ENTRY_BYTES
    }
  }
}
