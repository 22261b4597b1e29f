import type { Duplex } from 'node:stream'

/** Reports that the transport no longer reads some bytes. With an error, their memory must never be used again. */
export type OnTaken = (error?: Error | null) => void

/** Receives the events of one transport. */
export interface TransportOwner {
  /**
   * Receives the next bytes, in order.
   *
   * @param bytes Belong to the owner, unless `isLent` reports otherwise: lent bytes are only valid during this call
   */
  onBytes(bytes: Buffer): void
  /** The peer sends no more bytes. The owner can still write. */
  onEnd(): void
  /** The transport has taken everything it was given, after it was blocked. */
  onDrain(): void
  /**
   * The connection is closed. This is the last event, and arrives exactly once.
   *
   * @param hasFailed Whether an error ended the connection, such as a reset by the peer
   */
  onClose(hasFailed: boolean): void
}

/**
 * One connection as the engines use it: two directions of bytes, whatever carries them.
 *
 * A transport reads nothing until `open`. It never calls its owner from within a call that the owner makes.
 */
// docs/decisions/0103
export interface Transport {
  /** Whether TLS protects the connection. TLS peers detect a missing end of the stream, so they need no reset. */
  readonly isEncrypted: boolean
  /** The IP address of the peer; `undefined` on a Unix socket. */
  readonly remoteAddress: string | undefined
  /** The port of the peer; `undefined` on a Unix socket. */
  readonly remotePort: number | undefined
  /** Bytes that were written and not taken yet. Their memory must not change. */
  readonly bufferedBytes: number
  /** Whether the owner should write nothing before `onDrain`. False once the connection is ending or destroyed. */
  readonly isBlocked: boolean
  /** Whether everything was taken, including the end. */
  readonly isFinished: boolean
  /** Whether `destroy` or `abort` was called, or an error ended the connection. */
  readonly isDestroyed: boolean

  /** Starts to read, and sends all events to `owner` instead of the previous owner. */
  open(owner: TransportOwner): void
  /** Stops reading. Bytes that arrive wait, as far as the buffers below reach. */
  pause(): void
  /** Reads again after `pause`. The first bytes arrive after this call has returned. */
  resume(): void
  /**
   * Lets the transport lend its own memory to `onBytes` from now on, which saves a buffer for each read.
   *
   * @returns Whether it does; false leaves everything as it was
   */
  lendReads(): boolean
  /** Reports whether bytes are in memory that the next read, of any connection, overwrites. */
  isLent(bytes: Uint8Array): boolean
  /** Pauses, and gives back bytes that the next owner must receive first. They must not be lent. */
  unread(bytes: Buffer): void

  /**
   * Writes bytes after everything written before. Nothing is copied: the memory must not change before `onTaken`, or before
   * `bufferedBytes` shows that the bytes were taken.
   *
   * @returns True if the transport can take more now. After the end it is false, but then `isBlocked` is false, too
   */
  write(bytes: Uint8Array, onTaken?: OnTaken): boolean
  /** Writes text, one byte for each character (latin1). */
  writeLatin1(text: string): boolean
  /** Holds writes back until `uncork`, so that they leave together. Calls nest. */
  cork(): void
  /** Sends the writes that `cork` held back. */
  uncork(): void
  /**
   * Ends this direction after everything written. The peer can still send.
   *
   * @param onTaken Called once the end was taken. If the connection closes first: called with an error, or never
   */
  end(onTaken: OnTaken): void
  /**
   * Destroys the connection, and shows the peer that the bytes it received were not all, by a reset where there is one.
   *
   * Without a reset (TLS, Unix sockets), or after the end was taken, this is `destroy`.
   */
  abort(): void
  /** Closes the connection now and discards what was not taken. Only `onClose` follows. */
  destroy(): void
  /**
   * Hands the connection to a new owner that reads and writes it as a stream, starting with bytes not received yet.
   *
   * From now on, the previous owner receives `onClose` only.
   */
  toDuplex(): Duplex
}
