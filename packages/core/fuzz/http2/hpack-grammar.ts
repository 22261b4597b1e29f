import { encodeHuffman, huffmanBytes } from '../../src/engine/fields/huffman.ts'
import { STATIC_TABLE } from '../../src/http2/hpack/static-table.ts'
import type { Random } from '@fw/testing/fuzz'
import { integer, type Field } from '../../test/http2/hpack.ts'

/** Initial table size of both peers in bytes (RFC 7541 §4.2). */
const INITIAL_TABLE_BYTES = 4096
const OVERHEAD_BYTES = 32
/** Representations of RFC 7541 §6.2: the flag bits of the first byte, and the number of prefix bits. */
interface Literal {
  readonly first: number
  readonly bits: number
  readonly isIndexed: boolean
}

const PLAIN_LITERAL: Literal = { first: 0x00, bits: 4, isIndexed: false }
const LITERALS: readonly [Literal, ...Literal[]] = [
  { first: 0x40, bits: 6, isIndexed: true },
  PLAIN_LITERAL,
  { first: 0x10, bits: 4, isIndexed: false },
]

/** Encodes fields in random valid representations (RFC 7541), and tracks the resulting table. */
export class HpackGrammar {
  readonly #random: Random
  /** Table entries, newest first. */
  readonly #table: Field[] = []
  #maxBytes = INITIAL_TABLE_BYTES
  /** Earlier blocks that did not change the table. */
  readonly #plain: Buffer[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /** Writes a complete block. */
  block(fields: readonly Field[]): Buffer {
    const random = this.#random
    const parts: Buffer[] = []
    const isPlain = random.chance(0.4)
    if (!isPlain && random.chance(0.1)) {
      for (let count = 1 + random.below(2); count > 0; count--) {
        parts.push(this.#resize(random.pick([0, 40, 100, 1000, 4096])))
      }
    }
    for (const field of fields) parts.push(this.#field(field, isPlain))
    const block = Buffer.concat(parts)
    if (isPlain) this.#plain.push(block)
    return block
  }

  /**
   * Returns an earlier block that did not change the table. If other blocks have changed it since then, the returned
   * block can have a different meaning or be invalid.
   */
  repeatedBlock(): Buffer | undefined {
    return this.#plain[this.#random.below(this.#plain.length)]
  }

  /** Returns an invalid block, with one of the errors of RFC 7541. */
  brokenBlock(): Buffer {
    const random = this.#random
    return random.pick([
      Buffer.of(0x80),
      Buffer.concat([this.block([['x', 'y']]), integer(62 + this.#table.length, 7, 0x80)]),
      integer(62 + this.#table.length + random.below(1000), 6, 0x40),
      integer(INITIAL_TABLE_BYTES + 1 + random.below(100_000), 5, 0x20),
      Buffer.concat([Buffer.of(0x82), integer(0, 5, 0x20)]),
      Buffer.from('3fffffffffffff01', 'hex'),
      Buffer.from('82ffffffffff7f', 'hex'),
      // A string longer than its block; Huffman code with too much padding, with zero padding, or with EOS.
      Buffer.from('000578', 'hex'),
      Buffer.from('0082ffff0178', 'hex'),
      Buffer.from('0081180178', 'hex'),
      Buffer.from('0084fffffffc0178', 'hex'),
    ])
  }

  #field(field: Field, isPlain: boolean): Buffer {
    const random = this.#random
    const [name, value] = field
    const index = this.#find(([n, v]) => n === name && v === value)
    if (index > 0 && random.chance(0.8)) return integer(index, 7, 0x80)
    const { first, bits, isIndexed } = isPlain ? PLAIN_LITERAL : random.pick(LITERALS)
    const nameIndex = random.chance(0.8) ? this.#find(([n]) => n === name) : 0
    const head = integer(nameIndex, bits, first)
    const written = Buffer.concat(
      nameIndex > 0 ? [head, this.#text(value)] : [head, this.#text(name), this.#text(value)],
    )
    if (isIndexed) this.#insert(field)
    return written
  }

  /** Returns the index of a matching entry, a random one of several, or 0. */
  #find(matches: (field: Field) => boolean): number {
    const found: number[] = []
    for (const [at, field] of [...STATIC_TABLE, ...this.#table].entries()) if (matches(field)) found.push(at + 1)
    return found[this.#random.below(found.length)] ?? 0
  }

  #text(text: string): Buffer {
    if (this.#random.chance(0.5)) return Buffer.concat([integer(text.length, 7, 0), Buffer.from(text, 'latin1')])
    const coded = Buffer.alloc(huffmanBytes(text))
    encodeHuffman(text, coded, 0)
    return Buffer.concat([integer(coded.length, 7, 0x80), coded])
  }

  #insert(field: Field): void {
    this.#table.unshift(field)
    this.#evict()
  }

  #resize(bytes: number): Buffer {
    this.#maxBytes = bytes
    this.#evict()
    return integer(bytes, 5, 0x20)
  }

  #evict(): void {
    let bytes = 0
    const kept = this.#table.findIndex(
      ([name, value]) => (bytes += name.length + value.length + OVERHEAD_BYTES) > this.#maxBytes,
    )
    if (kept >= 0) this.#table.length = kept
  }
}
