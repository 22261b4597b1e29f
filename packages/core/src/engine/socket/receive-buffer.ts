import { Readable } from 'node:stream'
import type { Socket } from 'node:net'
import { markAsUntransferable } from 'node:worker_threads'
import { copyBytes } from './kept-bytes.ts'

/** What is read at once, as Node.js does. */
export const RECEIVE_BUFFER_BYTES: number = 64 * 1024
/** What is read at once of who has just sent that much and is still listened to: copying a large body is cheaper so. */
const LARGE_READ_BYTES: number = 2 * RECEIVE_BUFFER_BYTES

/** Where a socket keeps what its option `onread` asked for. */
interface ReadInto {
  [key: symbol]: unknown
  readonly _handle?: { useUserBuffer?(buffer: Uint8Array): void } | null
}

interface Keys {
  readonly buffer: symbol
  readonly callback: symbol
  readonly nextBuffer: symbol
}

interface Buffers {
  readonly usual: Buffer
  readonly large: Buffer
}

const STREAM_METHODS: object = Object.fromEntries(
  ['read', 'pause', 'resume'].map((name) => [name, Reflect.get(Readable.prototype, name) as unknown]),
)

/** For all sockets: what is read has been used, or copied, before anything else is read. */
let shared: Buffers | undefined
/** Of these, what the socket that has just been read is to be read into from now on, where that changes. */
let next: Buffer | undefined
let keys: Keys | undefined

/**
 * Has a socket read into memory that all sockets share; otherwise Node.js makes a buffer of 64 KiB for each read, and cuts
 * it to what has arrived. Node.js offers this as the option `onread`, but not to the sockets of a server; these are given here
 * what that option sets. Where there is no such thing, nothing is changed (note 0009).
 *
 * What arrives while the socket is paused goes to the stream, and comes as `data` when it is resumed.
 *
 * @param onBytes Gets what was read, in memory that the next read overwrites: what is kept has to be copied
 * @returns Whether the socket reads into that memory
 */
export function receiveShared(socket: Socket, onBytes: (bytes: Buffer) => void): boolean {
  const target = socket as unknown as ReadInto
  keys ??= findKeys(target)
  const handle = target._handle
  if (keys === undefined || typeof handle?.useUserBuffer !== 'function' || target[keys.buffer] !== null) return false
  const { usual, large } = (shared ??= sharedBuffers())
  target[keys.buffer] = usual
  target[keys.nextBuffer] = takeNext
  target[keys.callback] = function receive(this: Socket, count: number, buffer: Buffer): boolean {
    // Bytes that wait for nothing need none of the bookkeeping for those that do.
    if (this.readableFlowing !== true || this.readableLength > 0) return pushCopy.call(this, count, buffer)
    onBytes(buffer.subarray(0, count))
    const wanted = count === buffer.length && this.readableFlowing ? large : usual
    if (wanted !== buffer) next = wanted
    return true
  }
  handle.useUserBuffer(usual)
  // Those of a socket with `onread` start and stop the handle whatever its stream holds, which then takes more than it should, and
  // does not learn of a connection that is reset.
  Object.assign(socket, STREAM_METHODS)
  return true
}

/** Has a socket be the stream that it would be without `receiveShared`, for whoever gets it next. */
export function receiveAsStream(socket: Socket): void {
  const target = socket as unknown as ReadInto
  if (keys !== undefined && target[keys.nextBuffer] === takeNext) target[keys.callback] = pushCopy
}

/** Whether bytes are in the memory that the next read overwrites. */
export function isShared({ buffer }: Uint8Array): boolean {
  return buffer === shared?.usual.buffer
}

/** @returns False if the stream has enough for now */
function pushCopy(this: Socket, count: number, buffer: Buffer): boolean {
  if (buffer !== shared?.usual) next = shared?.usual
  return this.push(copyBytes(buffer, 0, count))
}

/** What Node.js asks after each read. */
function takeNext(): Buffer | undefined {
  const buffer = next
  next = undefined
  return buffer
}

function sharedBuffers(): Buffers {
  const large = Buffer.allocUnsafeSlow(LARGE_READ_BYTES)
  // The operating system writes to it, whoever has it.
  markAsUntransferable(large.buffer)
  return { usual: large.subarray(0, RECEIVE_BUFFER_BYTES), large }
}

function findKeys(socket: ReadInto): Keys | undefined {
  const symbols = Object.getOwnPropertySymbols(socket)
  const named = (name: string): symbol | undefined => symbols.find(({ description }) => description === name)
  const [buffer, callback, nextBuffer] = [named('kBuffer'), named('kBufferCb'), named('kBufferGen')]
  if (buffer === undefined || callback === undefined || nextBuffer === undefined) return undefined
  return { buffer, callback, nextBuffer }
}
