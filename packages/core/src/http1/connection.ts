import type { UpgradedConnection } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import type { Tunnel } from '../engine/exchange/tunnel.ts'
import { runOutsideRequests } from '../engine/event-loop/outside-requests.ts'
import { ownBytes } from '../engine/socket/kept-bytes.ts'
import { startsWithPreface } from '../engine/socket/http2-preface.ts'
import { ReadFlow } from '../engine/socket/read-flow.ts'
import { traceClose } from '../engine/tracing/connection-trace.ts'
import { receivedNow } from '../engine/tracing/request-trace.ts'
import type { Transport, TransportOwner } from '../engine/transport.ts'
import { LingeringClose } from './connection-end.ts'
import type { Http1ConnectionOptions } from './connection-options.ts'
import type { Http1Exchange } from './exchange.ts'
import { Http1Output } from './output.ts'
import { RequestCycle, type CycleOwner } from './request-cycle.ts'
import type { ConnectionFields } from './response-head.ts'
import { Http1Tunnel } from './tunnel.ts'

/**
 * Owns the transport of one HTTP/1.x connection, its deadlines and its close. `RequestCycle` serves the requests.
 */
export class Http1Connection implements CycleOwner, TransportOwner, HasDeadline, Drainable {
  readonly protocol = 'HTTP/1.1'
  readonly output: Http1Output
  deadlineMs: number
  place = 0
  watchPlace = 0
  readonly #transport: Transport
  readonly #options: Http1ConnectionOptions
  readonly #host: EngineHost
  readonly #deadlines: Deadlines
  readonly #flow: ReadFlow
  readonly #cycle: RequestCycle
  /** Receives bytes instead of the request cycle after the last request. */
  #receiver: LingeringClose | Http1Tunnel | undefined = undefined

  constructor(transport: Transport, options: Http1ConnectionOptions) {
    const { host, deadlines } = options
    this.#transport = transport
    this.#options = options
    this.#host = host
    this.#deadlines = deadlines
    this.output = new Http1Output(transport, deadlines, host.limits, this)
    this.#flow = new ReadFlow(transport, host.limits.maxPipelinedRequests, this)
    this.#cycle = new RequestCycle(this, transport, this.#flow, options)
    this.deadlineMs = deadlines.in(host.limits.firstByteTimeoutMs, this.#cycle.quietSinceMs)
    transport.open(this)
    deadlines.watch(this)
  }

  get scheme(): 'http' | 'https' {
    return this.#transport.isEncrypted ? 'https' : 'http'
  }
  get requestsInFlight(): number {
    return this.#cycle.exchange?.isClosed === false ? 1 : 0
  }
  get remoteAddress(): string | undefined {
    return this.#transport.remoteAddress
  }
  get remotePort(): number | undefined {
    return this.#transport.remotePort
  }
  get hasProxySource(): boolean {
    return this.#transport.hasProxySource
  }

  drain(): void {
    const cycle = this.#cycle
    cycle.keepAlive = false
    if (cycle.exchange?.isClosed) return this.linger()
    if (!cycle.isQuiet) return
    // A request can be in transit. Its response will contain `connection: close`.
    const quietUntilMs = cycle.quietSinceMs + this.#host.limits.drainIdleMs
    if (quietUntilMs > performance.now()) this.deadlineMs = Math.min(this.deadlineMs, quietUntilMs)
    // The idle time is over, but bytes can already be in the kernel. The event loop reads them in this turn or the next
    // one.
    else setImmediate(() => setImmediate(lingerIfQuiet, this))
  }

  lingerIfQuiet(): void {
    if (this.#cycle.isQuiet) this.linger()
  }

  linger(): void {
    const { phase } = this.#cycle
    if (phase === 'lingering' || phase === 'upgraded' || phase === 'closed') return
    this.#cycle.stop()
    this.output.giveUp()
    this.#receiver = new LingeringClose(this, this.#transport, this.#flow, this.#host.limits, this.#deadlines)
  }

  destroy(): void {
    this.break(this.#cycle.exchange?.endsWithConnection === true)
  }

  break(isVisible: boolean): void {
    // Later bytes must not start another request.
    this.#cycle.phase = 'closed'
    this.output.release()
    if (isVisible) this.#transport.abort()
    else this.#transport.destroy()
  }

  // HTTP/1.x requests never wait for buffer room, because each one starts when the previous response has been sent.
  onBufferRoom(): void {}

  giveAway(): UpgradedConnection {
    const cycle = this.#cycle
    cycle.keepReceived()
    // Copy the bytes, because their buffer also contains the request, and perhaps earlier ones.
    const head = cycle.received === undefined ? Buffer.alloc(0) : ownBytes(cycle.received)
    this.output.giveUp()
    cycle.phase = 'upgraded'
    cycle.release()
    this.deadlineMs = Infinity
    const socket = this.#transport.toDuplex()
    this.output.account.measure(new UpgradedBytes(this.#transport, socket))
    return { socket, head }
  }

  openTunnel(exchange: Http1Exchange): Tunnel {
    const cycle = this.#cycle
    cycle.keepReceived()
    const { received } = cycle
    cycle.phase = 'upgraded'
    cycle.release()
    this.deadlineMs = Infinity
    const parts = { transport: this.#transport, output: this.output, flow: this.#flow, limits: this.#host.limits }
    const tunnel = (this.#receiver = new Http1Tunnel(exchange, parts))
    if (received !== undefined) tunnel.body.push(ownBytes(received))
    if (cycle.hasPeerEnded) tunnel.onEnd()
    tunnel.onReadTurn()
    return tunnel.duplex
  }

  connectionFields(close: boolean): ConnectionFields {
    return this.#cycle.connectionFields(close)
  }

  onComplete(exchange: Http1Exchange): void {
    this.#cycle.onComplete(exchange)
  }

  onSettled(exchange: Http1Exchange): void {
    this.#cycle.onSettled(exchange)
  }

  onWriteTurn(): void {
    this.onDrain()
  }

  onReadTurn(): void {
    if (this.#receiver instanceof Http1Tunnel) return this.#receiver.onReadTurn()
    this.#cycle.advance()
    // The server can have started to shut down in the meantime.
    if (!this.#cycle.keepAlive && this.#cycle.isQuiet) this.drain()
  }

  onDeadline(): void {
    if (this.#receiver !== undefined) this.#receiver.onDeadline()
    // Received bytes are queued behind other connections. Do not answer 408 for our own delay.
    else if (this.#flow.isResting) this.deadlineMs = 0
    else this.#cycle.onTimeout()
  }

  onBytes(bytes: Buffer): void {
    if (this.#receiver !== undefined) return this.#receiver.onBytes(bytes)
    const cycle = this.#cycle
    cycle.readMs = receivedNow()
    try {
      const received = cycle.add(bytes)
      const { onHttp2 } = this.#options
      if (cycle.phase === 'fresh' && onHttp2 !== undefined && received[0] === 0x50) {
        const isHttp2 = startsWithPreface(received)
        if (isHttp2 === undefined) return
        if (isHttp2) return this.#handOver(onHttp2)
      }
      cycle.advance()
      if (cycle.phase !== 'upgraded') this.#flow.addBytes(bytes.length)
    } finally {
      cycle.keepReceived()
    }
  }

  onEnd(): void {
    if (this.#receiver instanceof Http1Tunnel) return this.#receiver.onEnd()
    this.#cycle.hasPeerEnded = true
    this.onPeerEnd()
  }

  onDrain(): void {
    this.output.onDrain()
    // The event can run in the asynchronous context of an earlier request, whose write blocked the transport.
    const { exchange } = this.#cycle
    if (!this.output.isBlocked && exchange !== undefined) runOutsideRequests(wake, exchange)
  }

  onClose(): void {
    this.#cycle.abandonHead()
    this.#deadlines.unwatch(this)
    this.output.close()
    this.#cycle.close()
    if (this.#receiver instanceof Http1Tunnel) this.#receiver.onClose()
    traceClose(this.#transport, 'HTTP/1.1')
    this.#options.onClose(this)
  }

  onPeerEnd(): void {
    const cycle = this.#cycle
    const { exchange } = cycle
    // Bytes received before the end are waiting for their turn. Process them first. A tunnel handles the end itself.
    if (this.#flow.isResting || cycle.phase === 'closed' || this.#receiver instanceof Http1Tunnel) return
    // A client that ends its direction has disconnected, unless its response is complete (docs/decisions/0002).
    if (exchange !== undefined && !exchange.isComplete) {
      this.destroy()
      exchange.onConnectionLost(new AbortedError('The client closed the connection'))
      return
    }
    const isResponding = exchange !== undefined && !exchange.isClosed
    // RFC 9112 §9.3.2: while the client is reading a response, serve the later requests that it has already sent.
    if (isResponding && cycle.keepAlive && cycle.received !== undefined) return
    cycle.keepAlive = false
    cycle.abandonHead()
    if (isResponding) return
    // No bytes remain to be sent or read. Skip FIN, which would cost a system call. TLS needs FIN for its closing
    // alert.
    if (!this.#transport.isEncrypted && this.output.bufferedBytes === 0) this.#transport.destroy()
    else this.linger()
  }

  #handOver(onHttp2: (transport: Transport) => void): void {
    const cycle = this.#cycle
    cycle.keepReceived()
    const { received } = cycle
    cycle.phase = 'closed'
    cycle.received = undefined
    this.#deadlines.unwatch(this)
    this.#options.onClose(this)
    if (received !== undefined) this.#transport.unread(received)
    onHttp2(this.#transport)
  }
}

/** Measures the bytes of an upgraded connection that its client or its owner has not read. */
class UpgradedBytes {
  readonly #transport: Transport
  readonly #socket: UpgradedConnection['socket']

  constructor(transport: Transport, socket: UpgradedConnection['socket']) {
    this.#transport = transport
    this.#socket = socket
  }

  get bufferedBytes(): number {
    return this.#transport.bufferedBytes + this.#socket.readableLength
  }
}

function lingerIfQuiet(connection: Http1Connection): void {
  connection.lingerIfQuiet()
}

function wake(exchange: Http1Exchange): void {
  exchange.onDrain()
}
