import { Duplex } from 'node:stream'
import { markAsUntransferable } from 'node:worker_threads'
import type { ConnectionTrace, TlsTrace } from '@fw/types'
import { withCode } from '@fw/options'
import type { OnTaken, Transport, TransportOwner } from '../transport.ts'

/** Capacity of the pipe to one end, in bytes. Corresponds to a kernel buffer. */
const PIPE_BYTES: number = 64 * 1024
/** Number of unsent bytes at which `write` returns false, as in Node.js sockets. */
const HIGH_WATER_BYTES: number = 64 * 1024

/** Properties of one end of a transport pair. */
export interface MemoryEnd {
  /** The peer's address. Default `'127.0.0.1'`. */
  readonly remoteAddress?: string
  /** The peer's port. Default 1. */
  readonly remotePort?: number
  /** Whether this end reports that it uses TLS. Default false. */
  readonly isEncrypted?: boolean
}

interface Write {
  bytes: Uint8Array
  onTaken: OnTaken | undefined
}

/** Returns two connected transports in the same process. Each end receives the bytes that the other one writes. */
export function memoryPair(first: MemoryEnd = {}, second: MemoryEnd = {}): [MemoryTransport, MemoryTransport] {
  return MemoryTransport.pair(first, second)
}

/**
 * Implements `Transport` in memory, with the backpressure, half-close and resets of TCP.
 *
 * Written bytes move into a 64 KiB pipe to the peer, which reads them in a later event-loop turn.
 */
export class MemoryTransport implements Transport {
  readonly isEncrypted: boolean
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly hasProxySource = false
  readonly openedAt: number = performance.now()
  readonly tls: TlsTrace | undefined = undefined
  trace: ConnectionTrace | undefined = undefined
  #peer: MemoryTransport = this
  #owner: TransportOwner | undefined = undefined
  /** Contents of the pipe to this end. */
  #inbox: Buffer[] = []
  #inboxBytes = 0
  /** Whether the peer has ended its direction. `#hasEnded` is set when the owner has received the end. */
  #isEndInInbox = false
  #hasEnded = false
  #writes: Write[] = []
  #bufferedBytes = 0
  #corks = 0
  #needsDrain = false
  /** Callback for the end of this direction; `undefined` before `end`. */
  #onEndTaken: OnTaken | undefined = undefined
  #isFinished = false
  #isDestroyed = false
  #isPaused = true
  #isScheduled = false
  #lends = false

  private constructor({ remoteAddress = '127.0.0.1', remotePort = 1, isEncrypted = false }: MemoryEnd) {
    this.remoteAddress = remoteAddress
    this.remotePort = remotePort
    this.isEncrypted = isEncrypted
  }

  static pair(first: MemoryEnd, second: MemoryEnd): [MemoryTransport, MemoryTransport] {
    const ends: [MemoryTransport, MemoryTransport] = [new MemoryTransport(first), new MemoryTransport(second)]
    const [a, b] = ends
    a.#peer = b
    b.#peer = a
    return ends
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes
  }
  get isBlocked(): boolean {
    return this.#needsDrain && this.#isWritable
  }
  get isFinished(): boolean {
    return this.#isFinished
  }
  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  open(owner: TransportOwner): void {
    this.#owner = owner
    this.resume()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#schedule()
  }

  lendReads(): boolean {
    return (this.#lends = true)
  }

  isLent({ buffer }: Uint8Array): boolean {
    return buffer === lent?.buffer
  }

  unread(bytes: Buffer): void {
    this.#isPaused = true
    this.#inbox.unshift(bytes)
    this.#inboxBytes += bytes.length
  }

  write(bytes: Uint8Array, onTaken?: OnTaken): boolean {
    if (!this.#isWritable) {
      if (onTaken !== undefined)
        queueMicrotask(() =>
          onTaken(withCode('FW_CONNECTION_CLOSED', new Error('The transport has been ended or destroyed'))),
        )
      return false
    }
    this.#writes.push({ bytes, onTaken })
    this.#bufferedBytes += bytes.byteLength
    this.#pump()
    if (this.#bufferedBytes >= HIGH_WATER_BYTES) this.#needsDrain = true
    return !this.#needsDrain
  }

  writeLatin1(text: string): boolean {
    return this.write(Buffer.from(text, 'latin1'))
  }

  cork(): void {
    this.#corks++
  }

  uncork(): void {
    if (this.#corks === 0) return
    this.#corks--
    this.#pump()
  }

  whenSent(onSent: () => void): void {
    if (this.#isDestroyed) return
    if (this.#bufferedBytes === 0) return onSent()
    const last = this.#writes.at(-1)
    if (last === undefined) return
    const { onTaken } = last
    last.onTaken = (error) => {
      onTaken?.(error)
      if (error === undefined || error === null) onSent()
    }
  }

  end(onTaken: OnTaken): void {
    if (!this.#isWritable) {
      queueMicrotask(() =>
        onTaken(this.#isFinished ? undefined : withCode('FW_CONNECTION_CLOSED', new Error('The transport is closed'))),
      )
      return
    }
    this.#corks = 0
    this.#onEndTaken = onTaken
    this.#pump()
  }

  abort(): void {
    if (this.#isDestroyed) return
    const isReset = !this.isEncrypted && !this.#isFinished
    this.#close(false)
    if (isReset) this.#peer.#close(true)
    else this.#peer.#receiveEnd()
  }

  destroy(): void {
    if (this.#isDestroyed) return
    // TCP resets a connection that is closed with unread bytes.
    const isReset = this.#inboxBytes > 0
    this.#close(false)
    if (isReset) this.#peer.#close(true)
    else this.#peer.#receiveEnd()
  }

  toDuplex(): Duplex {
    this.#lends = false
    const previous = this.#owner
    const duplex = new Duplex({
      allowHalfOpen: true,
      read: () => this.resume(),
      write: (chunk: Buffer, _encoding, done) => void this.write(chunk, done),
      final: (done) => this.end(done),
      destroy: (error, done) => {
        this.destroy()
        done(error)
      },
    })
    if (this.#hasEnded) duplex.push(null)
    this.#isPaused = true
    this.#owner = {
      onBytes: (bytes) => {
        if (!duplex.push(bytes)) this.pause()
      },
      onEnd: () => void duplex.push(null),
      onDrain: () => {},
      onClose: (hasFailed) => {
        duplex.destroy(
          hasFailed ? withCode('FW_CONNECTION_CLOSED', new Error('The peer has reset the connection')) : undefined,
        )
        previous?.onClose(hasFailed)
      },
    }
    return duplex
  }

  get #isWritable(): boolean {
    return !this.#isDestroyed && this.#onEndTaken === undefined
  }

  /** Moves written bytes to the pipe until it is full. */
  #pump(): void {
    if (this.#corks > 0) return
    for (let write = this.#writes[0]; write !== undefined; write = this.#writes[0]) {
      const peer = this.#peer
      const room = PIPE_BYTES - peer.#inboxBytes
      if (room <= 0) return
      // Like TCP, a closed peer resets the connection when more bytes arrive.
      if (peer.#isDestroyed) return this.#close(true)
      const part = write.bytes.subarray(0, room)
      peer.#receive(Buffer.from(part))
      this.#bufferedBytes -= part.byteLength
      if (part.byteLength < write.bytes.byteLength) {
        write.bytes = write.bytes.subarray(room)
        return
      }
      this.#writes.shift()
      const { onTaken } = write
      if (onTaken !== undefined) queueMicrotask(() => onTaken())
    }
    this.#onEmpty()
  }

  /** Sends the end if it is next, and reports that all bytes have been sent. */
  #onEmpty(): void {
    const onEndTaken = this.#onEndTaken
    if (onEndTaken !== undefined && !this.#isFinished) {
      this.#isFinished = true
      this.#peer.#receiveEnd()
      queueMicrotask(() => onEndTaken())
      if (this.#hasEnded) this.#close(false)
    }
    if (!this.#needsDrain) return
    this.#needsDrain = false
    queueMicrotask(() => {
      if (this.#isWritable) this.#owner?.onDrain()
    })
  }

  #receive(bytes: Buffer): void {
    this.#inbox.push(bytes)
    this.#inboxBytes += bytes.length
    this.#schedule()
  }

  #receiveEnd(): void {
    this.#isEndInInbox = true
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isPaused || this.#isDestroyed) return
    this.#isScheduled = true
    setImmediate(() => this.#deliver())
  }

  #deliver(): void {
    this.#isScheduled = false
    while (this.#canDeliver && this.#inboxBytes > 0) {
      const bytes = this.#take()
      this.#peer.#pump()
      this.#owner?.onBytes(bytes)
    }
    if (!this.#canDeliver || !this.#isEndInInbox || this.#hasEnded) return
    this.#hasEnded = true
    this.#owner?.onEnd()
    if (this.#isFinished) this.#close(false)
  }

  get #canDeliver(): boolean {
    return !this.#isPaused && !this.#isDestroyed
  }

  /** Removes and returns bytes from the pipe. After `lendReads`, returns them in the shared memory. */
  #take(): Buffer {
    const all = Buffer.concat(this.#inbox)
    const taken = all.subarray(0, PIPE_BYTES)
    this.#inbox = taken.length < all.length ? [all.subarray(PIPE_BYTES)] : []
    this.#inboxBytes -= taken.length
    if (!this.#lends) return taken
    lent ??= lentMemory()
    return lent.subarray(0, taken.copy(lent))
  }

  #close(hasFailed: boolean): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#inbox = []
    this.#inboxBytes = 0
    this.#bufferedBytes = 0
    const writes = this.#writes
    this.#writes = []
    const onEndTaken = this.#isFinished ? undefined : this.#onEndTaken
    setImmediate(() => {
      const error = withCode('FW_CONNECTION_CLOSED', new Error('The connection was closed'))
      for (const { onTaken } of writes) onTaken?.(error)
      onEndTaken?.(error)
      const owner = this.#owner
      this.#owner = undefined
      owner?.onClose(hasFailed)
    })
  }
}

/** Memory that all ends share for their reads after `lendReads`. */
let lent: Buffer | undefined

function lentMemory(): Buffer {
  const memory = Buffer.allocUnsafeSlow(PIPE_BYTES)
  // Every connection reads into this memory, so no consumer may transfer it.
  markAsUntransferable(memory.buffer)
  return memory
}
