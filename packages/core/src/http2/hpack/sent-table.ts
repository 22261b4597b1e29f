import { FIELD_OVERHEAD_BYTES, HpackDynamicTable } from './dynamic-table.ts'
import { NAME_SLOTS, type SentName } from './sent-names.ts'

/** Number of consecutive unused entries after which a name's values are assumed to differ each time. */
const MAX_UNUSED = 8
/** Number of fields with such a name of which one is inserted, to detect repetition. A power of two. */
const TRIAL_INTERVAL = 16
/** Maximum share of the table for one field. A larger field would evict most others. */
const MAX_SHARE = 0.75

interface SentField {
  readonly name: string
  readonly value: string
  /** Bytes of name and value, plus 32. */
  readonly bytes: number
}

/** Wraps an encoder's dynamic table. Finds fields, and selects those to insert. */
export class SentTable {
  readonly #table: HpackDynamicTable<SentField>
  /** Low byte of the entry last found or inserted, by name slot. A table of 4,096 bytes has fewer than 256 entries. */
  readonly #found = new Uint8Array(NAME_SLOTS)
  /** Number of insertion attempts since the last hit, modulo 256, by name slot. */
  readonly #unused = new Uint8Array(NAME_SLOTS)

  constructor(maxBytes: number) {
    this.#table = new HpackDynamicTable(maxBytes)
  }

  resize(maxBytes: number): void {
    this.#table.resize(maxBytes)
  }

  /** Finds the entry for a field. @returns Number of entries inserted after it, or -1 if it is not in the table */
  ageOf(name: SentName, value: string): number {
    const table = this.#table
    const { text, slot } = name
    const likely = (table.inserted - 1 - (this.#found[slot] ?? 0)) & 0xff
    const entry = table.at(likely)
    if (entry !== undefined && entry.name === text && entry.value === value) {
      this.#unused[slot] = 0
      return likely
    }
    // For a name whose value always changes, compare only the entry from the last trial.
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
   * Inserts a field that is not in the table, unless it is too large or its values do not repeat.
   *
   * @returns Whether the field was inserted
   */
  insert(name: SentName, value: string): boolean {
    const table = this.#table
    const { text, slot } = name
    const bytes = text.length + value.length + FIELD_OVERHEAD_BYTES
    if (bytes > table.maxBytes * MAX_SHARE) return false
    const unused = this.#unused[slot] ?? 0
    // The counter wraps from 255 to 0, which allows another `MAX_UNUSED` trials.
    this.#unused[slot] = unused + 1
    if (unused >= MAX_UNUSED && unused % TRIAL_INTERVAL !== 0) return false
    this.#found[slot] = table.inserted
    table.insert({ name: text, value, bytes })
    return true
  }
}
