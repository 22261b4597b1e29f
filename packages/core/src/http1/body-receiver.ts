import { BodyRate } from '../body-rate.ts'
import type { Limits } from '../limits.ts'
import { ReceivedBody, type BodySupply } from '../received-body.ts'
import { bodyDecoder, joinSmall, type BodyDecoder } from './body-decoder.ts'
import type { MessageFields } from './message-fields.ts'

/** What a `BodyReceiver` asks of its connection. */
export interface BodySource {
  /** Somebody wants the body. */
  onBodyWanted(receiver: BodyReceiver): void
  /** Whether more octets are taken (`isFull`) has changed. */
  onBodyFlow(receiver: BodyReceiver): void
  /** Whoever reads the body threw. */
  onBodyFault(receiver: BodyReceiver): void
}

/** The body of one request on its way from the socket to its reader. */
export class BodyReceiver implements BodySupply {
  readonly body: ReceivedBody
  /** Whether the client waits for 100 (Continue) before it sends the body. */
  awaitsContinue: boolean
  /** Octets that came after the body was given up. */
  skippedBytes = 0
  /** Whether so much waits for the reader that no more is taken. */
  isFull = false
  readonly #source: BodySource
  readonly #decoder: BodyDecoder
  readonly #rate: BodyRate

  private constructor(source: BodySource, fields: MessageFields, decoder: BodyDecoder, limits: Limits) {
    const { framing } = fields
    this.#source = source
    this.#decoder = decoder
    this.#rate = new BodyRate(limits)
    this.awaitsContinue = fields.expectsContinue
    this.body = new ReceivedBody(
      framing.kind === 'length' ? framing.length : undefined,
      limits.maxBufferedBodyBytes,
      this,
    )
  }

  /** @returns `undefined` for a request without a body */
  static of(source: BodySource, fields: MessageFields, limits: Limits): BodyReceiver | undefined {
    const decoder = bodyDecoder(fields.framing, limits)
    return decoder && new BodyReceiver(source, fields, decoder, limits)
  }

  /** Whether the last octet has been received. */
  get isComplete(): boolean {
    return this.#decoder.done
  }

  /**
   * Passes on what was received.
   *
   * @returns How many octets belong to the body; fewer than all only when it is complete
   * @throws {ProtocolError} if the body is malformed, too long where its length was not announced, or too slow; what came
   *   before has been passed on
   */
  receive(octets: Uint8Array): number {
    // A client that sends its body without waiting needs no 100 (Continue).
    this.awaitsContinue = false
    const pieces: Uint8Array[] = []
    try {
      const used = this.#decoder.decode(octets, (piece) => pieces.push(piece))
      this.#rate.add(used)
      return used
    } finally {
      for (const piece of joinSmall(pieces)) {
        if (this.body.isDiscarded) this.skippedBytes += piece.byteLength
        else this.body.push(piece)
      }
    }
  }

  /** Ends the body for its reader, once it is complete. */
  finish(): void {
    this.body.finish(this.#decoder.trailers)
  }

  onWanted(): void {
    this.#source.onBodyWanted(this)
  }

  onFull(): void {
    this.isFull = true
    this.#source.onBodyFlow(this)
  }

  onRoom(): void {
    this.isFull = false
    this.#rate.restart()
    this.#source.onBodyFlow(this)
  }

  onFault(): void {
    this.#source.onBodyFault(this)
  }
}
