import type { FieldSection } from './hpack-decoder.ts'

/** Requests of one client alternate between few blocks. */
const MAX_SECTIONS = 4
/** Longer blocks cost more to keep than to decode. */
const MAX_BLOCK_BYTES = 512

/**
 * The field sections of the blocks that came last on a connection and still mean the same: clients repeat nearly the
 * same block with each request.
 */
export class RecentSections {
  /** The octets of each block, latin1. */
  readonly #blocks: string[] = []
  readonly #sections: FieldSection[] = []
  #next = 0

  find(block: Uint8Array, start: number, end: number): FieldSection | undefined {
    const blocks = this.#blocks
    for (let i = 0; i < blocks.length; i++) {
      const known = blocks[i] ?? ''
      if (known.length !== end - start) continue
      let at = 0
      while (at < known.length && known.charCodeAt(at) === block[start + at]) at++
      if (at === known.length) return this.#sections[i]
    }
    return undefined
  }

  add(block: Buffer, start: number, end: number, section: FieldSection): void {
    if (end - start > MAX_BLOCK_BYTES) return
    this.#blocks[this.#next] = block.toString('latin1', start, end)
    this.#sections[this.#next] = section
    this.#next = (this.#next + 1) % MAX_SECTIONS
  }

  /** Forgets all, because the same octets would now mean something else. */
  clear(): void {
    if (this.#next === 0 && this.#blocks.length === 0) return
    this.#blocks.length = 0
    this.#sections.length = 0
    this.#next = 0
  }
}
