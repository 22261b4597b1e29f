import { FIELD_OVERHEAD_BYTES, HpackDynamicTable } from './dynamic-table.ts'
import { NAME_SLOTS, type SentName } from './sent-names.ts'

/** Entries of a name that may be made in a row without being used; then they are taken to be new each time … */
const MAX_UNUSED = 8
/** … and only one in so many is entered, to see whether that is still so. A power of two. */
const TRIAL = 16
/** Of the table, for one field; a larger one would drive out most of the others. */
const MAX_SHARE = 0.75

interface SentField {
  readonly name: string
  readonly value: string
  /** Bytes of name and value, and 32 more. */
  readonly bytes: number
}

/** The dynamic table of an encoder: finds fields in it, and decides which are worth a place. */
export class SentTable {
  readonly #table: HpackDynamicTable<SentField>
  /** By the slot of a name: the number of the entry that was found last, its low byte. There are fewer than 256 entries. */
  readonly #found = new Uint8Array(NAME_SLOTS)
  /** By the slot of a name: entries that were made since one was found. */
  readonly #unused = new Uint8Array(NAME_SLOTS)

  constructor(maxBytes: number) {
    this.#table = new HpackDynamicTable(maxBytes)
  }

  resize(maxBytes: number): void {
    this.#table.resize(maxBytes)
  }

  /** @returns How many entries came after that of the field, or -1 without one */
  ageOf(name: SentName, value: string): number {
    const table = this.#table
    const { text, slot } = name
    const likely = (table.inserted - 1 - (this.#found[slot] ?? 0)) & 0xff
    const entry = table.at(likely)
    if (entry !== undefined && entry.name === text && entry.value === value) {
      this.#unused[slot] = 0
      return likely
    }
    // Of a name that has a new value each time, only the entry of the last trial is looked at.
    if ((this.#unused[slot] ?? 0) > MAX_UNUSED) return -1
    for (let age = 0; age < table.size; age++) {
      const other = table.at(age)
      if (other === undefined || other.name !== text || other.value !== value) continue
      this.#found[slot] = table.inserted - 1 - age
      this.#unused[slot] = 0
      return age
    }
    return -1
  }

  /**
   * Makes an entry for a field that has none, if it is worth it.
   *
   * @returns Whether it did
   */
  insert(name: SentName, value: string): boolean {
    const table = this.#table
    const { text, slot } = name
    const bytes = text.length + value.length + FIELD_OVERHEAD_BYTES
    if (bytes > table.maxBytes * MAX_SHARE) return false
    const unused = this.#unused[slot] ?? 0
    // Behind 255 comes 0 again, and so a trial of some more entries.
    this.#unused[slot] = unused + 1
    if (unused >= MAX_UNUSED && unused % TRIAL !== 0) return false
    this.#found[slot] = table.inserted
    table.insert({ name: text, value, bytes })
    return true
  }
}
