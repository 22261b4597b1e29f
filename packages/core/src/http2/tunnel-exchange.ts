import type { FieldList } from '@fw/types'
import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import { tunnelHead } from '../engine/exchange/response-head.ts'
import { Tunnel, type TunnelStream } from '../engine/exchange/tunnel.ts'
import type { Priority } from '../engine/fields/priority.ts'
import { Http2Exchange } from './exchange.ts'
import type { Http2RequestHead } from './request-head.ts'
import type { StreamOwner } from './stream-owner.ts'

/**
 * Exchanges an extended CONNECT. After `tunnel()`, the stream carries bytes until both sides have ended it. Before that,
 * any other response refuses the tunnel.
 *
 * @see RFC 8441 §4, §5
 */
export class Http2TunnelExchange extends Http2Exchange implements TunnelStream {
  readonly #protocol: string | undefined
  readonly #owner: StreamOwner<Http2Exchange>
  #tunnel: Tunnel | undefined = undefined

  constructor(
    owner: StreamOwner<Http2Exchange>,
    id: number,
    head: Http2RequestHead,
    priority: Priority,
    hasBody: boolean,
    window: number,
  ) {
    super(owner, id, head, priority, hasBody, window)
    this.#owner = owner
    this.#protocol = head.protocol
  }

  override get upgradeProtocol(): string | undefined {
    return this.#protocol
  }
  get account(): BufferAccount {
    return this.#owner.account
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
    if (!this.isClosed) this.sendEnd([])
  }

  override abort(error?: Error): void {
    super.abort(error)
    this.#tunnel?.destroy(error)
  }

  override onLost(error: Error): void {
    super.onLost(error)
    this.#tunnel?.destroy(error)
  }

  protected override onResponseSent(): void {
    if (!this.isTunnel) super.onResponseSent()
    else if (this.openBody === undefined) {
      this.#owner.onComplete(this)
      this.settle(false)
    }
  }

  protected override settle(aborted: boolean): void {
    // After its own END_STREAM, a tunnel still receives bytes.
    if (aborted || !this.isTunnel || this.openBody === undefined) super.settle(aborted)
  }

  #whenSent(onSent: () => void): void {
    if (this.isClosed) return
    if (this.queuedBytes === 0) this.#owner.sender.writer.whenSent(onSent)
    else void this.drained().then(() => this.#whenSent(onSent))
  }
}
