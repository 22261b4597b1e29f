import { Readable } from 'node:stream'
import type { Socket } from 'node:net'
import { markAsUntransferable } from 'node:worker_threads'
import { copyBytes } from './kept-bytes.ts'
import { readInto } from './node-read-buffer.ts'

/** Maximum bytes of one read, as in Node.js. */
export const RECEIVE_BUFFER_BYTES: number = 64 * 1024
/**
 * Maximum bytes of the next read after a read that filled the usual buffer. Larger reads make large bodies cheaper to
 * copy.
 */
const LARGE_READ_BYTES: number = 2 * RECEIVE_BUFFER_BYTES

/** Receives the bytes of one read. The next read on any socket overwrites them. */
export type OnShared = (this: Socket, bytes: Buffer) => void

/** Socket property that stores the receiver; `undefined` after `receiveAsStream`. */
const ON_SHARED = Symbol('onShared')

interface SharedSocket extends Socket {
  [ON_SHARED]?: OnShared | undefined
}

interface Buffers {
  readonly usual: Buffer
  readonly large: Buffer
}

const STREAM_METHODS: object = Object.fromEntries(
  ['read', 'pause', 'resume'].map((name) => [name, Reflect.get(Readable.prototype, name) as unknown]),
)

/** The buffers that all sockets share. Each read is processed or copied before the next one. */
let shared: Buffers | undefined
/** The new buffer for the socket of the current read; `undefined` to keep its buffer. */
let next: Buffer | undefined

/**
 * Makes a socket read into one buffer that all sockets share, instead of a new 64 KiB buffer for each read.
 *
 * Bytes that arrive while the socket is paused are copied to the stream, which emits them as `data` when it resumes.
 *
 * @returns False if this Node.js release does not support this. The socket is then unchanged
 */
// docs/decisions/0009
export function receiveShared(socket: Socket, onBytes: OnShared): boolean {
  const { usual } = (shared ??= sharedBuffers())
  if (!readInto(socket, usual, receive, takeNext)) return false
  ;(socket as SharedSocket)[ON_SHARED] = onBytes
  // On a socket with `onread`, these methods start and stop its handle without regard to the stream. The socket would
  // read too much, and miss a connection reset.
  Object.assign(socket, STREAM_METHODS)
  return true
}

/** Converts a socket back to a plain stream, for its next owner. */
export function receiveAsStream(socket: Socket): void {
  ;(socket as SharedSocket)[ON_SHARED] = undefined
}

/** Reports whether `bytes` is in the memory that the next read overwrites. */
export function isShared({ buffer }: Uint8Array): boolean {
  return buffer === shared?.usual.buffer
}

function receive(this: SharedSocket, count: number, buffer: Buffer): boolean {
  const onBytes = this[ON_SHARED]
  // Only bytes that must wait pass through the stream.
  if (onBytes === undefined || this.readableFlowing !== true || this.readableLength > 0) {
    return pushCopy(this, count, buffer)
  }
  onBytes.call(this, buffer.subarray(0, count))
  const wanted = count === buffer.length && this.readableFlowing ? shared?.large : shared?.usual
  if (wanted !== buffer) next = wanted
  return true
}

/** Copies a read to the stream. @returns False if the stream's buffer is full */
function pushCopy(socket: Socket, count: number, buffer: Buffer): boolean {
  if (buffer !== shared?.usual) next = shared?.usual
  return socket.push(copyBytes(buffer, 0, count))
}

/** Returns the buffer for the next reads. Node.js calls this after each read. */
function takeNext(): Buffer | undefined {
  const buffer = next
  next = undefined
  return buffer
}

function sharedBuffers(): Buffers {
  const large = Buffer.allocUnsafeSlow(LARGE_READ_BYTES)
  // Every socket reads into this memory, so no consumer may transfer it.
  markAsUntransferable(large.buffer)
  return { usual: large.subarray(0, RECEIVE_BUFFER_BYTES), large }
}
