import { EventEmitter } from 'node:events'
import { isIPv6 } from 'node:net'
import type { Exchange } from '@fw/types'

/**
 * Stands for the `http.Server`, of which `http-proxy-middleware` needs one before it forwards an upgrade. It emits nothing:
 * routes take over connections with `ctx.exchange.upgrade`.
 */
const SERVER: EventEmitter = new EventEmitter().setMaxListeners(0)

/**
 * Stands for the connection of one request: `req.socket` and `res.socket`. It has the addresses, and the members that
 * middleware calls, but carries no bytes. The engine owns the connection.
 */
export class NodeSocket extends EventEmitter {
  /** Whether the connection uses TLS. Behind a proxy, the connection is that of the proxy. */
  readonly encrypted: boolean
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly #exchange: Exchange
  #isClosed = false
  #isReadable = true

  /** @param watch Starts to wait for the end of the exchange, because listeners need it */
  constructor(exchange: Exchange, watch: () => void) {
    super()
    this.#exchange = exchange
    this.encrypted = exchange.scheme === 'https'
    this.remoteAddress = exchange.remoteAddress
    this.remotePort = exchange.remotePort
    this.on('newListener', watch)
  }

  get server(): EventEmitter {
    return SERVER
  }

  get remoteFamily(): string | undefined {
    if (this.remoteAddress === undefined) return undefined
    return isIPv6(this.remoteAddress) ? 'IPv6' : 'IPv4'
  }

  /** The port in the request's authority, or the default port of its scheme. */
  get localPort(): number {
    const port = /:(\d+)$/.exec(this.#exchange.authority)?.[1]
    return port === undefined ? (this.encrypted ? 443 : 80) : Number(port)
  }

  /** False after a body could not be read to its end, so that `on-finished` does not wait for the rest. */
  get readable(): boolean {
    return this.#isReadable && !this.#isClosed
  }

  get writable(): boolean {
    return !this.#isClosed
  }

  get destroyed(): boolean {
    return this.#isClosed
  }

  /** Ends the exchange in a way that shows the client that the response is incomplete. */
  destroy(error?: Error): this {
    this.#exchange.abort(error)
    return this
  }

  /** Does nothing, because the limits of the server apply. */
  setTimeout(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  /** Reports that the body cannot be read. */
  onBodyError(): void {
    this.#isReadable = false
  }

  /** Reports that the exchange was aborted. */
  onAbort(): void {
    this.#isClosed = true
    this.emit('close', false)
  }
}
