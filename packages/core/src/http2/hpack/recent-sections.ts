import type { FieldSection } from './field.ts'

/** Number of cached blocks. A client that repeats blocks alternates between a few of them. */
const MAX_SECTIONS = 4
/** Allocation unit of a cached block, in bytes. Most blocks fit in one unit. */
const SLOT_BYTES = 64
/** Maximum size of a cached block, in bytes. */
const MAX_BLOCK_BYTES = 512
/**
 * Number of consecutive misses after which only one block in this many is cached, and only the latest is compared,
 * until the next hit.
 */
const MAX_MISSES = 8

interface RecentSection {
  bytes: Uint8Array
  /** Length of the block, or -1 if the slot is empty. */
  length: number
  section: FieldSection | undefined
}

/**
 * Caches the sections of recent blocks that did not change the dynamic table. Saves decoding time, because most clients
 * repeat the same few blocks.
 */
export class RecentSections {
  readonly #recent: RecentSection[] = []
  #next = 0
  /** Number of misses in a row. */
  #misses = 0

  /** Returns the section of an identical block; `undefined` if none is cached. */
  find(block: Uint8Array, start: number, end: number): FieldSection | undefined {
    const length = end - start
    const candidates = this.#misses > MAX_MISSES ? 1 : MAX_SECTIONS
    for (let age = 1; age <= candidates; age++) {
      const candidate = this.#recent[(this.#next + MAX_SECTIONS - age) % MAX_SECTIONS]
      if (candidate === undefined || candidate.length !== length) continue
      const { bytes } = candidate
      let at = 0
      while (at < length && bytes[at] === block[start + at]) at++
      if (at < length) continue
      this.#misses = 0
      return candidate.section
    }
    return undefined
  }

  /** Counts a miss, and caches the section unless the block is too long or the client does not repeat blocks. */
  add(block: Uint8Array, start: number, end: number, section: FieldSection): void {
    const length = end - start
    if (length > MAX_BLOCK_BYTES || (this.#misses++ > MAX_MISSES && this.#misses % MAX_MISSES !== 0)) return
    let slot = this.#recent[this.#next]
    if (slot === undefined || slot.bytes.length < length) {
      const bytes = new Uint8Array(Math.ceil(length / SLOT_BYTES) * SLOT_BYTES)
      slot = this.#recent[this.#next] = { bytes, length, section }
    }
    const { bytes } = slot
    for (let at = 0; at < length; at++) bytes[at] = block[start + at] ?? 0
    slot.length = length
    slot.section = section
    this.#next = (this.#next + 1) % MAX_SECTIONS
  }

  /** Clears the cache. Call this when the table changes, because the same bytes can then mean other fields. */
  clear(): void {
    for (const slot of this.#recent) {
      slot.length = -1
      slot.section = undefined
    }
  }
}
