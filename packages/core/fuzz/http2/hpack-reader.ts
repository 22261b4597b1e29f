import { STATIC_TABLE } from '../../src/http2/hpack/static-table.ts'
import type { Field } from '../../test/http2/hpack.ts'
import { readHuffman } from '../fields/huffman-reference.ts'

const OVERHEAD_BYTES = 32

/**
 * Decodes a peer's field blocks with a simple implementation of RFC 7541. Also checks the encoder rules of §4.2.
 * `read` throws if the peer violated a rule.
 */
export class HpackReader {
  /** Table entries, newest first. */
  readonly #table: Field[] = []
  #maxBytes = 4096
  /** The peer's table size limit, and the smallest limit since its last block. */
  #limit = 4096
  #leastLimit = 4096
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0

  /** Applies a SETTINGS_HEADER_TABLE_SIZE that the peer has acknowledged. */
  setLimit(bytes: number): void {
    this.#limit = bytes
    this.#leastLimit = Math.min(this.#leastLimit, bytes)
  }

  read(block: Buffer): Field[] {
    this.#bytes = block
    this.#at = 0
    this.#readSizes()
    const fields: Field[] = []
    while (this.#at < block.length) {
      const first = block.readUInt8(this.#at)
      if (first >= 0x80) fields.push(this.#entry(this.#integer(7)))
      else if (first >= 0x40) {
        const field = this.#literal(6)
        this.#table.unshift(field)
        this.#evict()
        fields.push(field)
      } else if (first >= 0x20) throw new Error('A size update after a field')
      else fields.push(this.#literal(4))
    }
    return fields
  }

  #readSizes(): void {
    const mustReach = this.#leastLimit < this.#maxBytes ? this.#leastLimit : Infinity
    let least = Infinity
    while (this.#at < this.#bytes.length && (this.#bytes.readUInt8(this.#at) & 0xe0) === 0x20) {
      this.#maxBytes = this.#integer(5)
      // Each size must be within the limit (RFC 7541 §6.3), even one that a second update replaces.
      if (this.#maxBytes > this.#limit) throw new Error(`The table size ${this.#maxBytes} exceeds ${this.#limit}`)
      least = Math.min(least, this.#maxBytes)
      this.#evict()
    }
    if (mustReach !== Infinity && least > mustReach) throw new Error(`The table was not reduced to ${mustReach} bytes`)
    this.#leastLimit = this.#limit
  }

  #literal(prefixBits: number): Field {
    const index = this.#integer(prefixBits)
    const name = index === 0 ? this.#text() : this.#entry(index)[0]
    return [name, this.#text()]
  }

  #entry(index: number): Field {
    const entry = index > STATIC_TABLE.length ? this.#table[index - STATIC_TABLE.length - 1] : STATIC_TABLE[index - 1]
    if (entry === undefined) throw new Error(`No entry ${index}`)
    return entry
  }

  #integer(prefixBits: number): number {
    const most = 2 ** prefixBits - 1
    let value = this.#bytes.readUInt8(this.#at++) & most
    if (value < most) return value
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes.readUInt8(this.#at++)
      value += (byte & 0x7f) * factor
      if (byte < 128) return value
    }
  }

  #text(): string {
    const isHuffman = (this.#bytes.readUInt8(this.#at) & 0x80) !== 0
    const length = this.#integer(7)
    const start = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) throw new Error('A truncated string')
    const text = isHuffman
      ? readHuffman(this.#bytes.subarray(start, this.#at))
      : this.#bytes.toString('latin1', start, this.#at)
    if (text === undefined) throw new Error('Invalid Huffman code')
    return text
  }

  #evict(): void {
    let bytes = 0
    const kept = this.#table.findIndex(
      ([name, value]) => (bytes += name.length + value.length + OVERHEAD_BYTES) > this.#maxBytes,
    )
    if (kept >= 0) this.#table.length = kept
  }
}
