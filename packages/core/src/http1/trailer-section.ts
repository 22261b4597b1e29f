import type { FieldList } from '@fw/types'
import { isFieldValue, isToken } from '../engine/fields/field-rules.ts'
import { ProtocolError } from '../engine/errors.ts'
import { isTrailerAllowed } from '../engine/semantics/trailers.ts'
import type { Limits } from '../options/limits.ts'
import { CR, isControl, LF } from './bytes.ts'
import { trimOws } from './headers.ts'

/**
 * Parses the trailer section of a chunked body, up to its final empty line. The input can be split anywhere.
 *
 * @see RFC 9112 §7.1.2, RFC 9110 §6.5
 */
export class TrailerSection {
  readonly #limits: Pick<Limits, 'maxTrailerBytes' | 'maxTrailerFields'>
  readonly #fields: string[] = []
  #line = ''
  #bytes = 0
  /** Number of received fields, including discarded ones. */
  #count = 0
  #isAfterCr = false
  #isDone = false

  constructor(limits: Pick<Limits, 'maxTrailerBytes' | 'maxTrailerFields'>) {
    this.#limits = limits
  }

  /** Whether the empty line has been read. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Names, in lower case, and values of the allowed fields. */
  get fields(): FieldList {
    return this.#fields
  }

  /**
   * Parses bytes of the trailer section.
   *
   * @returns The index of the next unread byte
   * @throws {ProtocolError} 400 if the section is malformed, 431 if it has too many bytes or fields
   */
  read(input: Uint8Array, from: number): number {
    let at = from
    let byte: number | undefined
    while (!this.#isDone && (byte = input[at]) !== undefined) {
      at++
      if (this.#isAfterCr) this.#endLine(byte)
      else if (byte === CR) this.#isAfterCr = true
      else this.#add(byte)
    }
    return at
  }

  #add(byte: number): void {
    if (isControl(byte)) throw new ProtocolError(400, 'Malformed trailer section')
    if (++this.#bytes > this.#limits.maxTrailerBytes) throw new ProtocolError(431, 'Trailer section too large')
    this.#line += String.fromCharCode(byte)
  }

  #endLine(byte: number): void {
    if (byte !== LF) throw new ProtocolError(400, 'Malformed trailer section')
    const line = this.#line
    this.#isAfterCr = false
    this.#isDone = line === ''
    if (this.#isDone) return
    this.#line = ''
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = trimOws(line.slice(colon + 1))
    if (colon < 1 || !isToken(name) || !isFieldValue(value)) throw new ProtocolError(400, 'Malformed trailer field')
    if (++this.#count > this.#limits.maxTrailerFields) throw new ProtocolError(431, 'Too many trailer fields')
    if (isTrailerAllowed(name)) this.#fields.push(name, value)
  }
}
