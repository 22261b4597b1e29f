import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ProxySource } from '@fw/client-address'
import type { ConnectionTrace, TlsTrace } from '@fw/types'
import type { OnTaken, Transport, TransportOwner } from '../transport.ts'
import { isShared, receiveAsStream, receiveShared } from './receive-buffer.ts'

const NOTHING = new Uint8Array()
/** Socket property that stores the owner, so that all sockets can share their listeners. */
const OWNER = Symbol('owner')

interface OwnedSocket extends Socket {
  [OWNER]?: TransportOwner | undefined
}

/** Implements `Transport` on a socket from `node:net` or `node:tls`. */
export class SocketTransport implements Transport {
  readonly isEncrypted: boolean
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly hasProxySource: boolean
  readonly openedAt: number
  trace: ConnectionTrace | undefined = undefined
  readonly #socket: OwnedSocket
  /** Duration of the TLS handshake in milliseconds. */
  readonly #handshakeMs: number

  /**
   * @param openedAt Time at which a connection with TLS was accepted, or its PROXY header was complete. Default: now
   * @param source The peer's address according to a PROXY header. Default: that of the socket
   */
  constructor(socket: Socket, isEncrypted: boolean, openedAt?: number, source?: ProxySource) {
    const nowMs = performance.now()
    this.#socket = socket
    this.isEncrypted = isEncrypted
    this.openedAt = openedAt ?? nowMs
    this.#handshakeMs = nowMs - this.openedAt
    // A closed socket no longer has an address.
    const { remoteAddress, remotePort } = socket
    this.remoteAddress = source === undefined ? remoteAddress : source.address
    this.remotePort = source === undefined ? remotePort : source.port
    this.hasProxySource = source !== undefined
  }

  get tls(): TlsTrace | undefined {
    if (!this.isEncrypted) return undefined
    const socket = this.#socket as Socket as TLSSocket
    // A closed socket no longer has a version.
    const version = socket.getProtocol() ?? 'unknown'
    return { version, resumed: socket.isSessionReused(), handshakeMs: this.#handshakeMs }
  }
  get bufferedBytes(): number {
    return this.#socket.writableLength
  }
  get isBlocked(): boolean {
    return this.#socket.writableNeedDrain
  }
  get isFinished(): boolean {
    return this.#socket.writableFinished
  }
  get isDestroyed(): boolean {
    return this.#socket.destroyed
  }

  open(owner: TransportOwner): void {
    const socket = this.#socket
    const isFirst = socket[OWNER] === undefined
    socket[OWNER] = owner
    if (isFirst) listen(socket)
    else socket.resume()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  lendReads(): boolean {
    return !this.isEncrypted && !this.isDestroyed && receiveShared(this.#socket, onData)
  }

  isLent(bytes: Uint8Array): boolean {
    return isShared(bytes)
  }

  unread(bytes: Buffer): void {
    this.#socket.pause()
    this.#socket.unshift(bytes)
  }

  write(bytes: Uint8Array, onTaken?: OnTaken): boolean {
    return this.#socket.write(bytes, onTaken)
  }

  writeLatin1(text: string): boolean {
    return this.#socket.write(text, 'latin1')
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  whenSent(onSent: () => void): void {
    const socket = this.#socket
    if (socket.destroyed) return
    if (socket.writableLength === 0) return onSent()
    const onTaken: OnTaken = (error) => {
      if (error === undefined || error === null) onSent()
    }
    // An empty write waits for the writes before it. No write is allowed after the end, so wait for the end instead.
    if (socket.writableEnded) socket.end(onTaken)
    else socket.write(NOTHING, onTaken)
  }

  end(onTaken: OnTaken): void {
    this.#socket.end(onTaken)
  }

  abort(): void {
    const socket = this.#socket
    // When only FIN remains to be sent, a reset fails with EINVAL, and Node.js then never closes the socket.
    const isEnding = socket.writableEnded && socket.writableLength === 0
    // A Unix socket has no address and does not support a reset. Check the socket, because a PROXY header can replace
    // `this.remoteAddress`.
    if (this.isEncrypted || socket.remoteAddress === undefined || isEnding) return this.destroy()
    stopReading(socket)
    socket.resetAndDestroy()
  }

  destroy(): void {
    stopReading(this.#socket)
    this.#socket.destroy()
  }

  toDuplex(): Duplex {
    const socket = this.#socket
    receiveAsStream(socket)
    stopReading(socket)
    // As in a new socket, bytes that arrive wait until the new owner listens.
    socket.readableFlowing = null
    return socket
  }
}

function listen(socket: OwnedSocket): void {
  socket.on('data', onData).on('end', onEnd).on('drain', onDrain).on('error', ignore).on('close', onClose)
}

function stopReading(socket: OwnedSocket): void {
  socket.off('data', onData).off('end', onEnd).off('drain', onDrain)
}

function onData(this: OwnedSocket, bytes: Buffer): void {
  this[OWNER]?.onBytes(bytes)
}

function onEnd(this: OwnedSocket): void {
  this[OWNER]?.onEnd()
}

function onDrain(this: OwnedSocket): void {
  this[OWNER]?.onDrain()
}

function onClose(this: OwnedSocket, hasFailed: boolean): void {
  const owner = this[OWNER]
  // Drop the reference to the connection, because V8 can keep parts of a closed socket for a long time
  // (docs/decisions/0031).
  this[OWNER] = undefined
  stopReading(this)
  this.off('close', onClose)
  owner?.onClose(hasFailed)
}

/** Ignores errors, because `close` follows each of them. */
function ignore(): void {}
