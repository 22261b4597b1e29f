import type { FieldList } from '@fw/types'
import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import type { ReceivedBody } from '../engine/exchange/received-body.ts'
import { tunnelHead } from '../engine/exchange/response-head.ts'
import { Tunnel, type TunnelStream } from '../engine/exchange/tunnel.ts'
import { Http3Exchange, type ResponseStream } from './exchange.ts'
import { encodeFrame, FrameType } from './frames.ts'
import type { RequestHead } from './request-head.ts'

/**
 * Carries the end of a tunnel whose bytes have all been sent. Unlike the reserved frame of other responses, RFC 9114
 * §4.4 permits it in a tunnel.
 */
const LAST_FRAME = encodeFrame(FrameType.DATA, new Uint8Array())

/** Gives a tunnel access to its stream. */
export interface TunnelResponseStream extends ResponseStream {
  /** Whether the client has ended its direction. */
  readonly isRequestOver: boolean
  /** Cancels the stream in both directions. */
  cancel(): void
}

/**
 * Exchanges an extended CONNECT. After `tunnel()`, the stream carries bytes until both sides have ended it. Before that,
 * any other response refuses the tunnel.
 *
 * @see RFC 9220 §3, RFC 9114 §4.4
 */
export class Http3TunnelExchange extends Http3Exchange implements TunnelStream {
  readonly #stream: TunnelResponseStream
  readonly #protocol: string | undefined
  #tunnel: Tunnel | undefined = undefined
  #hasEnded = false

  constructor(stream: TunnelResponseStream, head: RequestHead, body: ReceivedBody) {
    super(stream, head, body)
    this.#stream = stream
    this.#protocol = head.protocol
  }

  override get upgradeProtocol(): string | undefined {
    return this.#protocol
  }
  get account(): BufferAccount {
    return this.#stream.account
  }

  override tunnel(fields: FieldList): Tunnel {
    const head = tunnelHead(fields)
    this.beginTunnel(200)
    this.sendHead(200, head)
    return (this.#tunnel = new Tunnel(this))
  }

  sendBytes(parts: readonly Uint8Array[], onSent: () => void): void {
    for (const part of parts) {
      if (this.isClosed) return
      this.bodyBytes += part.byteLength
      this.sendData(part)
    }
    this.#whenSent(onSent)
  }

  endBytes(): void {
    if (this.isClosed) return
    this.#hasEnded = true
    this.#stream.output.push(LAST_FRAME)
    this.#stream.output.end()
    this.#stream.flush()
  }

  override abort(error?: Error): void {
    // When the owner has ended and read the tunnel, the stream ends after it has sent its last bytes.
    if (error === undefined && this.#hasEnded && this.#tunnel?.readableEnded === true) return
    super.abort(error)
    this.#tunnel?.destroy(error)
  }

  override onAborted(): void {
    super.onAborted()
    this.#tunnel?.destroy()
  }

  override onFlushed(): void {
    super.onFlushed()
    if (this.isTunnel && this.#stream.output.isEnded && this.#stream.isRequestOver) this.settle(false)
  }

  protected override sendReset(): void {
    if (this.isTunnel) this.#stream.cancel()
    else super.sendReset()
  }

  #whenSent(onSent: () => void): void {
    if (this.isClosed) return
    // QUIC copies the bytes that it accepts.
    if (!this.isBlocked) onSent()
    else void this.drained().then(() => this.#whenSent(onSent))
  }
}
