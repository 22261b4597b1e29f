import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import { AbortedError } from '../engine/errors.ts'
import type { BaseExchange } from '../engine/exchange/base-exchange.ts'
import { ReceivedBody, type BodySupply } from '../engine/exchange/received-body.ts'
import { Tunnel, type TunnelStream } from '../engine/exchange/tunnel.ts'
import { copyBytes } from '../engine/socket/kept-bytes.ts'
import type { ReadFlow } from '../engine/socket/read-flow.ts'
import type { Transport } from '../engine/transport.ts'
import type { Limits } from '../options/limits.ts'
import type { Http1Output } from './output.ts'

/** The parts of a connection that a tunnel uses after the request. */
export interface TunnelParts {
  readonly transport: Transport
  readonly output: Http1Output
  readonly flow: ReadFlow
  readonly limits: Limits
}

/**
 * Carries the bytes of a connection after 101. Unlike `exchange.upgrade`, the connection keeps its transport, so that
 * its limits still apply.
 *
 * @see RFC 9110 §7.8
 */
export class Http1Tunnel implements TunnelStream, BodySupply {
  readonly body: ReceivedBody
  readonly duplex: Tunnel
  /** Whether the handler reads too slowly, so that the connection must not read. */
  isFull = false
  readonly #exchange: BaseExchange
  readonly #parts: TunnelParts
  #hasPeerEnded = false
  #hasEnded = false

  constructor(exchange: BaseExchange, parts: TunnelParts) {
    this.#exchange = exchange
    this.#parts = parts
    this.body = new ReceivedBody(undefined, parts.limits.maxBufferedBodyBytes, this)
    this.duplex = new Tunnel(this)
  }

  get account(): BufferAccount {
    return this.#parts.output.account
  }

  sendBytes(parts: readonly Uint8Array[], onSent: () => void): void {
    const { output } = this.#parts
    for (const part of parts) {
      if (this.#exchange.isClosed) return
      this.#exchange.bodyBytes += part.byteLength
      if (output.admitsPart(part)) output.writeBytes(part)
      else this.duplex.destroy(new AbortedError('Too many bytes are waiting for the client (limits.maxBufferedBytes)'))
    }
    if (!this.#exchange.isClosed) output.whenSent(onSent)
  }

  endBytes(): void {
    this.#hasEnded = true
    this.#parts.transport.end(() => {})
  }

  abort(error?: Error): void {
    // When both directions have ended, the transport closes after it has sent its last bytes.
    if (!this.#isOver) this.#exchange.abort(error)
  }

  /** Receives bytes from the connection. */
  onBytes(bytes: Buffer): void {
    const { transport, flow } = this.#parts
    this.body.push(transport.isLent(bytes) ? copyBytes(bytes, 0, bytes.length) : bytes)
    flow.addBytes(bytes.length)
  }

  /** Handles the end of the client's direction. */
  onEnd(): void {
    this.#hasPeerEnded = true
    this.body.finish()
  }

  /** Handles the close of the connection. */
  onClose(): void {
    if (this.#isOver) return
    const error = new AbortedError('The connection was closed')
    this.body.fail(error)
    this.duplex.destroy(error)
  }

  /** Continues reading, because it is the connection's turn again. */
  onReadTurn(): void {
    this.#parts.flow.update(this.isFull)
  }

  // A tunnel has no deadline. `Http1Output` detects a client that does not read.
  onDeadline(): void {}

  onWanted(): void {}

  onFull(): void {
    this.isFull = true
    this.#parts.flow.update(true)
  }

  onRoom(): void {
    this.isFull = false
    this.#parts.flow.update(false)
  }

  onHeld(difference: number): void {
    this.account.onReceived(difference)
  }

  onFault(error: unknown): void {
    this.#exchange.abort(error instanceof Error ? error : undefined)
  }

  get #isOver(): boolean {
    return this.#hasEnded && this.#hasPeerEnded
  }
}
