/** Bytes that RFC 7541 §4.1 adds to the size of each field. */
export const FIELD_OVERHEAD_BYTES = 32
/** Number of slots allocated for the first entry; doubled when they are full. */
const FIRST_SLOTS = 16

/** An entry with a size. */
export interface Sized {
  /** Bytes of name and value, plus 32. */
  readonly bytes: number
}

/**
 * Stores the most recent fields of a connection, up to a size in bytes. Allocates no slots before the first insertion.
 *
 * Entries are numbered in order of insertion: the first is 0, the latest `inserted - 1`.
 *
 * @see RFC 7541 §2.3.2, §4
 */
export class HpackDynamicTable<Entry extends Sized> {
  /** Ring buffer: entry n is at index n modulo its length, which is a power of two. */
  #slots: (Entry | undefined)[] = []
  #inserted = 0
  #evicted = 0
  #bytes = 0
  #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Number of entries inserted so far, including evicted ones. */
  get inserted(): number {
    return this.#inserted
  }

  /** Number of entries in the table. */
  get size(): number {
    return this.#inserted - this.#evicted
  }

  get bytes(): number {
    return this.#bytes
  }

  get maxBytes(): number {
    return this.#maxBytes
  }

  /**
   * Returns the entry with a given age; `undefined` if it does not exist or is evicted.
   *
   * @param age 0 for the latest entry
   */
  at(age: number): Entry | undefined {
    if (age >= this.#inserted - this.#evicted) return undefined
    return this.#slots[(this.#inserted - 1 - age) & (this.#slots.length - 1)]
  }

  /** Inserts an entry and evicts older ones. An entry larger than the table empties it (RFC 7541 §4.4). */
  insert(entry: Entry): void {
    this.#evictTo(this.#maxBytes - entry.bytes)
    if (entry.bytes > this.#maxBytes) return
    if (this.size === this.#slots.length) this.#grow()
    this.#slots[this.#inserted & (this.#slots.length - 1)] = entry
    this.#inserted++
    this.#bytes += entry.bytes
  }

  /** Changes the maximum size and evicts the entries that no longer fit (RFC 7541 §4.3). */
  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes
    this.#evictTo(maxBytes)
  }

  #evictTo(bytes: number): void {
    const slots = this.#slots
    while (this.#bytes > bytes && this.#evicted < this.#inserted) {
      const at = this.#evicted++ & (slots.length - 1)
      this.#bytes -= slots[at]?.bytes ?? 0
      slots[at] = undefined
    }
  }

  #grow(): void {
    const before = this.#slots
    const slots: (Entry | undefined)[] = []
    for (let i = 0; i < Math.max(FIRST_SLOTS, before.length * 2); i++) slots.push(undefined)
    for (let n = this.#evicted; n < this.#inserted; n++) slots[n & (slots.length - 1)] = before[n & (before.length - 1)]
    this.#slots = slots
  }
}
