/** What RFC 7541 §4.1 adds to the size of each field. */
export const FIELD_OVERHEAD_BYTES = 32
/** Entries that a table has room for when it gets its first one; it grows from there. */
const FIRST_SLOTS = 16

/** What a table has to know of its entries. */
export interface Sized {
  /** Bytes of name and value, and 32 more. */
  readonly bytes: number
}

/**
 * The fields sent last on a connection, as many as fit. Costs next to nothing until something is inserted.
 *
 * Entries are numbered as they come: the first is 0, the latest `inserted - 1`.
 *
 * @see RFC 7541 §2.3.2, §4
 */
export class HpackDynamicTable<Entry extends Sized> {
  /** A ring: the entry numbered n stands at n modulo its length, a power of two. */
  #slots: (Entry | undefined)[] = []
  #inserted = 0
  #evicted = 0
  #bytes = 0
  #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Entries ever inserted. */
  get inserted(): number {
    return this.#inserted
  }

  /** Entries that are there. */
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
   * @param age 0 for the latest entry
   * @returns `undefined` if there is no such entry any more
   */
  at(age: number): Entry | undefined {
    if (age >= this.#inserted - this.#evicted) return undefined
    return this.#slots[(this.#inserted - 1 - age) & (this.#slots.length - 1)]
  }

  /** Puts an entry in front; one that is larger than the table leaves it empty (RFC 7541 §4.4). */
  insert(entry: Entry): void {
    this.#evictTo(this.#maxBytes - entry.bytes)
    if (entry.bytes > this.#maxBytes) return
    if (this.size === this.#slots.length) this.#grow()
    this.#slots[this.#inserted & (this.#slots.length - 1)] = entry
    this.#inserted++
    this.#bytes += entry.bytes
  }

  /** Evicts what does not fit any more (RFC 7541 §4.3). */
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
