import type { FieldSection } from './field.ts'

/** A client that repeats itself alternates between few blocks. */
const MAX_SECTIONS = 4
/** What holds the bytes of most blocks; longer ones have a multiple of it. */
const SLOT_BYTES = 64
/** Longer blocks are not worth the memory. */
const MAX_BLOCK_BYTES = 512
/** After so many blocks that did not repeat, one of so many is remembered and looked for until one does again. */
const PATIENCE = 8

interface RecentSection {
  bytes: Uint8Array
  /** Bytes of the block, or -1 for none. */
  length: number
  section: FieldSection | undefined
}

/**
 * The field sections of the blocks that came last on a connection and still mean the same, because clients repeat
 * nearly the same block with each request.
 */
export class RecentSections {
  readonly #recent: RecentSection[] = []
  #next = 0
  /** Blocks in a row that were not found. */
  #misses = 0

  find(block: Uint8Array, start: number, end: number): FieldSection | undefined {
    const length = end - start
    const candidates = this.#misses > PATIENCE ? 1 : MAX_SECTIONS
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

  add(block: Uint8Array, start: number, end: number, section: FieldSection): void {
    const length = end - start
    if (length > MAX_BLOCK_BYTES || (this.#misses++ > PATIENCE && this.#misses % PATIENCE !== 0)) return
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

  /** Forgets all, because the same bytes would now mean something else. */
  clear(): void {
    for (const slot of this.#recent) {
      slot.length = -1
      slot.section = undefined
    }
  }
}
