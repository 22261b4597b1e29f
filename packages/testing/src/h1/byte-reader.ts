import { IncompleteResponse, MalformedResponse } from '../response-error.ts'
import type { ByteSource } from '../byte-source.ts'

const CR = 0x0d
const LF = 0x0a

/** Reads lines and byte sequences from a source. The boundaries of the source's slices have no effect. */
export class ByteReader {
  readonly #source: ByteSource
  #buffer = Buffer.alloc(0)

  constructor(source: ByteSource) {
    this.#source = source
  }

  /** Returns the number of received bytes that have not been read. */
  get bufferedBytes(): number {
    return this.#buffer.length
  }

  /**
   * Reads a line and returns it without its CRLF, as latin1.
   *
   * @throws {MalformedResponse} if the line contains a bare CR or LF, or is longer than `maxBytes`
   * @throws {IncompleteResponse} if the source ends within the line
   */
  async line(maxBytes: number): Promise<string> {
    for (let from = 0; ;) {
      const at = this.#buffer.findIndex((byte, index) => index >= from && (byte === CR || byte === LF))
      if ((at === -1 ? this.#buffer.length : at) > maxBytes)
        throw new MalformedResponse(`A line is longer than ${maxBytes} bytes`)
      if (at !== -1 && this.#buffer[at] === LF) throw new MalformedResponse('LF without CR')
      if (at !== -1 && at + 1 < this.#buffer.length) {
        if (this.#buffer[at + 1] !== LF) throw new MalformedResponse('CR without LF')
        const line = this.#buffer.toString('latin1', 0, at)
        this.#buffer = this.#buffer.subarray(at + 2)
        return line
      }
      from = at === -1 ? this.#buffer.length : at
      if (!(await this.#fill())) throw new IncompleteResponse('The connection ended within a line')
    }
  }

  /** Returns up to `maxBytes` bytes that have arrived; `undefined` at the end. */
  async some(maxBytes: number): Promise<Uint8Array | undefined> {
    if (this.#buffer.length === 0 && !(await this.#fill())) return undefined
    const slice = this.#buffer.subarray(0, maxBytes)
    this.#buffer = this.#buffer.subarray(slice.length)
    return slice
  }

  /** Waits for the next byte or the end. @returns true at the end */
  async isAtEnd(): Promise<boolean> {
    return this.#buffer.length === 0 && !(await this.#fill())
  }

  /** Receives one slice. @returns false at the end */
  async #fill(): Promise<boolean> {
    const slice = await this.#source.read()
    if (slice === undefined) return false
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(slice) : Buffer.concat([this.#buffer, slice])
    return true
  }
}
