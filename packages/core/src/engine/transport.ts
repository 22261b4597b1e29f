import type { Duplex } from 'node:stream'
import type { TracedTransport } from './tracing/connection-trace.ts'

/** Called when a write has ended. The memory that contains its bytes can then be reused, except after an error. */
export type OnTaken = (error?: Error | null) => void

/** Receives events from one transport. */
export interface TransportOwner {
  /**
   * Receives the next bytes, in order.
   *
   * @param bytes Belong to the owner, unless `isLent` reports otherwise: lent bytes are only valid during this call
   */
  onBytes(bytes: Buffer): void
  /** Handles the end of the peer's data. The owner can still write. */
  onEnd(): void
  /** Continues writing after the transport was blocked. It has now sent all buffered bytes. */
  onDrain(): void
  /**
   * Handles the close of the connection. This is the last event and occurs exactly once.
   *
   * @param hasFailed Whether an error ended the connection, such as a reset by the peer
   */
  onClose(hasFailed: boolean): void
}

/**
 * Transfers the bytes of one connection in both directions, over a socket or in memory.
 *
 * A transport does not read before `open`. It calls its owner only asynchronously, never during a call by the owner.
 */
// docs/decisions/0103
export interface Transport extends TracedTransport {
  /** Whether the connection uses TLS. A TLS peer detects a truncated stream, so `abort` does not send a reset. */
  readonly isEncrypted: boolean
  /** The peer's IP address; `undefined` on a Unix socket. A PROXY header replaces the address and the port. */
  readonly remoteAddress: string | undefined
  /** The peer's port; `undefined` on a Unix socket. */
  readonly remotePort: number | undefined
  /** Whether the address and the port are those of a PROXY header. */
  readonly hasProxySource: boolean
  /** Written bytes that the transport has not sent yet. Their memory must not change. */
  readonly bufferedBytes: number
  /** Whether the owner should wait for `onDrain` before it writes. False once the connection is ending or destroyed. */
  readonly isBlocked: boolean
  /** Whether all bytes and the end have been sent. */
  readonly isFinished: boolean
  /** Whether `destroy` or `abort` was called, or an error ended the connection. */
  readonly isDestroyed: boolean

  /** Starts reading, and sends all further events to `owner` instead of the previous owner. */
  open(owner: TransportOwner): void
  /** Stops reading. Bytes that arrive stay in the buffers of the stream and the kernel. */
  pause(): void
  /** Resumes reading after `pause`. The first `onBytes` follows after this call returns. */
  resume(): void
  /**
   * Allows the transport to pass its own memory to `onBytes` from now on, which avoids an allocation for each read.
   *
   * @returns False if the transport does not support it. The transport is then unchanged
   */
  lendReads(): boolean
  /** Reports whether `bytes` is in memory that the next read of any connection overwrites. */
  isLent(bytes: Uint8Array): boolean
  /** Pauses, and returns bytes to the front of the input, for the next owner. They must not be lent. */
  unread(bytes: Buffer): void

  /**
   * Writes bytes without copying them. The memory must not change before `onTaken`, or before `bufferedBytes` shows
   * that the bytes have been sent.
   *
   * @returns False if the owner should wait for `onDrain`, or after the end. Only `isBlocked` distinguishes the two
   * cases
   */
  write(bytes: Uint8Array, onTaken?: OnTaken): boolean
  /** Writes text as Latin-1, one byte for each character. */
  writeLatin1(text: string): boolean
  /** Buffers writes until `uncork`, so that they are sent together. Calls nest. */
  cork(): void
  /** Sends the writes that `cork` buffered. */
  uncork(): void
  /**
   * Calls `onSent` when all bytes written so far have been sent, immediately if none are waiting. Does not call it if
   * the connection closes first.
   */
  whenSent(onSent: () => void): void
  /**
   * Ends this direction after all written bytes. The peer can still send.
   *
   * @param onTaken Called when the end has been sent. If the connection closes first, called with an error or not at
   *   all
   */
  end(onTaken: OnTaken): void
  /**
   * Destroys the connection with a reset, so that the peer detects the missing bytes.
   *
   * On TLS and Unix sockets, and after the end has been sent, equivalent to `destroy`.
   */
  abort(): void
  /** Closes the connection now and discards unsent bytes. Only `onClose` follows. */
  destroy(): void
  /**
   * Returns the connection as a stream, for a new owner. The stream starts with the first byte not yet passed to
   * `onBytes`.
   *
   * The previous owner now receives only `onClose`.
   */
  toDuplex(): Duplex
}
