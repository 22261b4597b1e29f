import type { Socket } from 'node:net'
import { compileTrust, peerAddress, readProxyHeader, type ProxySource, type Trust } from '@fw/client-address'
import type { Logger } from '@fw/log'
import { ChurnSet } from '../engine/collections/churn-set.ts'
import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import type { Transport } from '../engine/transport.ts'
import { type ProxyProtocolOptions, UNIX_PEERS } from '../options/proxy-protocol-options.ts'
import { RareRecord } from './rare-record.ts'

export interface ProxyHeadersOptions {
  readonly proxyProtocol: ProxyProtocolOptions
  readonly deadlines: Deadlines
  readonly logger: Logger | undefined
  /**
   * Takes over a connection: after its header, or immediately if its peer sends none. The bytes after the header are in the
   * socket's buffer. `source` is `undefined` if the addresses of the socket apply.
   */
  readonly onReady: (socket: Socket, source: ProxySource | undefined) => void
  /** Called when a connection has closed before its header was complete. */
  readonly onClosed: () => void
}

const TIMEOUT_MS = 5_000
/** The peer of a Unix socket, in records. */
const UNIX_NAME = 'a Unix socket'
const NOTHING = Buffer.alloc(0)
/** The first bytes of a header, versions 1 and 2. */
const STARTS = ['PROXY ', '\r\n\r\n\0\r\nQUIT\n'].map((start) => Buffer.from(start, 'latin1'))

/** Reads the PROXY header at the start of each connection from the listed addresses. */
export class ProxyHeaders {
  readonly #options: ProxyHeadersOptions
  readonly #proxies: Trust
  readonly #acceptsUnix: boolean
  readonly #waiting = new ChurnSet<WaitingConnection>('place')
  readonly #failures: RareRecord<[address: string, reason: string]>
  readonly #unlisted: RareRecord<[address: string]>

  constructor(options: ProxyHeadersOptions) {
    const { from } = options.proxyProtocol
    const { logger } = options
    this.#options = options
    this.#failures = new RareRecord((count, address, reason) => {
      logger?.warn('Connections closed without a PROXY header: {}. The last was from {}: {}', count, address, reason)
    })
    this.#unlisted = new RareRecord((count, address) => {
      logger?.warn(
        'Connections with a PROXY header from unlisted addresses: {}. The last was from {}, which is not in proxyProtocol.from',
        count,
        address,
      )
    })
    this.#acceptsUnix = from.includes(UNIX_PEERS)
    this.#proxies = compileTrust(from.filter((entry) => entry !== UNIX_PEERS))
  }

  /** Number of connections whose header is not complete. */
  get pending(): number {
    return this.#waiting.size
  }

  /** Reads the header of a new connection. @param isUnixSocket Whether the listener is a Unix socket */
  accept(socket: Socket, isUnixSocket: boolean): void {
    const { remoteAddress } = socket
    if (!this.#isListed(remoteAddress, isUnixSocket)) {
      // Never look for a header: any client could then choose its address.
      this.#options.onReady(socket, undefined)
      return
    }
    const { timeoutMs = TIMEOUT_MS, maxHeaderBytes } = this.#options.proxyProtocol
    const { deadlines, logger } = this.#options
    const address = remoteAddress ?? UNIX_NAME
    const connection = new WaitingConnection(socket, maxHeaderBytes, deadlines.in(timeoutMs), {
      onReady: (source) => {
        this.#forget(connection)
        this.#options.onReady(socket, source)
      },
      onFailed: (reason) => {
        this.#forget(connection)
        this.#failures.write(address, reason ?? `its PROXY header did not end within ${timeoutMs} ms`)
        this.#options.onClosed()
      },
      onSilent: (isLate) => {
        this.#forget(connection)
        const reason = isLate ? `no byte arrived within ${timeoutMs} ms` : 'the peer closed it'
        logger?.debug('Connection from {} closed before its PROXY header: {}', address, reason)
        this.#options.onClosed()
      },
    })
    this.#waiting.add(connection)
    deadlines.watch(connection)
  }

  /** Logs that an unlisted peer sends a header. @param received The first bytes of its connection, which are not a request */
  onRefusedStart(received: Buffer, { remoteAddress, hasProxySource }: Transport): void {
    // After the header of a listed peer, its client has sent these bytes.
    if (hasProxySource || this.#isListed(remoteAddress, remoteAddress === undefined)) return
    // Do not parse the header: its address must have no effect.
    if (STARTS.some((start) => received.subarray(0, start.length).equals(start))) {
      this.#unlisted.write(remoteAddress ?? UNIX_NAME)
    }
  }

  /** Destroys the connections whose header is not complete. */
  close(): void {
    if (this.pending === 0) return
    this.#waiting.forEach((connection) => {
      this.#forget(connection)
      connection.destroy()
    })
    this.#options.onClosed()
  }

  #isListed(remoteAddress: string | undefined, isUnixSocket: boolean): boolean {
    return isUnixSocket ? this.#acceptsUnix : this.#proxies.isTrusted(peerAddress(remoteAddress), 1)
  }

  #forget(connection: WaitingConnection): void {
    this.#waiting.delete(connection)
    this.#options.deadlines.unwatch(connection)
  }
}

interface WaitingOwner {
  /** The header is complete. */
  onReady(source: ProxySource | undefined): void
  /** The connection was closed after its first byte. @param reason `undefined` if the deadline has passed */
  onFailed(reason: string | undefined): void
  /**
   * The connection was closed before its first byte. This is not an error: health checks close it, and AWS load balancers send
   * the header only with the first byte of the client.
   *
   * @param isLate Whether the deadline has passed. Otherwise, the peer has closed the connection
   */
  onSilent(isLate: boolean): void
}

/** A connection whose header is not complete. */
class WaitingConnection implements HasDeadline {
  deadlineMs: number
  place = 0
  watchPlace = 0
  readonly #socket: Socket
  readonly #maxBytes: number | undefined
  readonly #owner: WaitingOwner
  #received: Buffer = NOTHING

  constructor(socket: Socket, maxBytes: number | undefined, deadlineMs: number, owner: WaitingOwner) {
    this.deadlineMs = deadlineMs
    this.#socket = socket
    this.#maxBytes = maxBytes
    this.#owner = owner
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', ignore).on('close', this.#onEnd)
  }

  onDeadline(): void {
    this.#fail(undefined)
  }

  destroy(): void {
    this.#release()
    this.#socket.destroy()
  }

  readonly #onData = (bytes: Buffer): void => {
    const received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes])
    this.#received = received
    const header = readProxyHeader(received, this.#maxBytes)
    if (header.kind === 'incomplete') return
    if (header.kind === 'invalid') {
      this.#fail(header.reason)
      return
    }
    const socket = this.#socket
    this.#release()
    socket.pause()
    // The first bytes of TLS or HTTP often arrive together with the header. `unshift` would treat no bytes as an end.
    if (received.length > header.length) socket.unshift(received.subarray(header.length))
    // As in a new socket, bytes that arrive wait until the new owner listens.
    socket.readableFlowing = null
    this.#owner.onReady(header.source)
  }

  readonly #onEnd = (): void => {
    this.#fail('it ended within its PROXY header')
  }

  #fail(reason: string | undefined): void {
    this.destroy()
    if (this.#received.length === 0) this.#owner.onSilent(reason === undefined)
    else this.#owner.onFailed(reason)
  }

  #release(): void {
    this.#socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd).off('error', ignore)
  }
}

/** Ignores errors, because `close` follows each of them. */
function ignore(): void {}
