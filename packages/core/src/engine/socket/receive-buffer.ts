import { Readable } from 'node:stream'
import type { Socket } from 'node:net'
import { markAsUntransferable } from 'node:worker_threads'
import { copyBytes } from './kept-bytes.ts'
import { readInto } from './node-read-buffer.ts'

/** Bytes of one read, as in Node.js. */
export const RECEIVE_BUFFER_BYTES: number = 64 * 1024
/** Bytes of the next read of a connection that has just filled the usual buffer. This makes it cheaper to copy a large body. */
const LARGE_READ_BYTES: number = 2 * RECEIVE_BUFFER_BYTES

/** Receives the bytes of one read. The next read, of any socket, overwrites them. */
export type OnShared = (this: Socket, bytes: Buffer) => void

/** The property of a socket that holds its receiver; absent after `receiveAsStream`. */
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

/** The buffers of all sockets. Each read is consumed, or copied, before the next one. */
let shared: Buffers | undefined
/** The buffer for the reads that follow of the socket that has just been read, where that changes. */
let next: Buffer | undefined

/**
 * Makes a socket read into one buffer that all sockets share, instead of a new 64 KiB buffer for each read.
 *
 * Bytes that arrive while the socket is paused go to the stream as copies, and come as `data` when it resumes.
 *
 * @returns False if this Node.js cannot do that for the socket, which then remains as it was
 */
// docs/decisions/0009
export function receiveShared(socket: Socket, onBytes: OnShared): boolean {
  const { usual } = (shared ??= sharedBuffers())
  if (!readInto(socket, usual, receive, takeNext)) return false
  ;(socket as SharedSocket)[ON_SHARED] = onBytes
  // A socket with `onread` has methods that start and stop its handle whatever the stream holds. It would then read too much,
  // and miss a reset of the connection.
  Object.assign(socket, STREAM_METHODS)
  return true
}

/** Makes a socket a plain stream again, for its next owner. */
export function receiveAsStream(socket: Socket): void {
  ;(socket as SharedSocket)[ON_SHARED] = undefined
}

/** Reports whether bytes are in the memory that the next read overwrites. */
export function isShared({ buffer }: Uint8Array): boolean {
  return buffer === shared?.usual.buffer
}

function receive(this: SharedSocket, count: number, buffer: Buffer): boolean {
  const onBytes = this[ON_SHARED]
  // The stream does its bookkeeping only for bytes that have to wait.
  if (onBytes === undefined || this.readableFlowing !== true || this.readableLength > 0) {
    return pushCopy(this, count, buffer)
  }
  onBytes.call(this, buffer.subarray(0, count))
  const wanted = count === buffer.length && this.readableFlowing ? shared?.large : shared?.usual
  if (wanted !== buffer) next = wanted
  return true
}

/** @returns False if the stream holds enough for now */
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
  // Node.js writes to this memory for every socket, so no reader may transfer it.
  markAsUntransferable(large.buffer)
  return { usual: large.subarray(0, RECEIVE_BUFFER_BYTES), large }
}
