import type { Socket } from 'node:net'

/** Consumes `count` bytes that were read into `buffer`. @returns False to stop reading until the stream resumes */
export type OnRead = (this: Socket, count: number, buffer: Buffer) => boolean

/** The private members of a socket that implement its option `onread`. */
interface ReadInto {
  [key: symbol]: unknown
  readonly _handle?: { useUserBuffer?(buffer: Uint8Array): void } | null
}

interface Keys {
  readonly buffer: symbol
  readonly callback: symbol
  readonly nextBuffer: symbol
}

let keys: Keys | undefined

/**
 * Makes a socket read into `buffer` instead of a new 64 KiB buffer for each read.
 *
 * Node.js has the option `onread` for this, but not for sockets that a server accepts. This function sets the private
 * members that `onread` uses. A Node.js upgrade can remove them.
 *
 * @param onRead Replaces the `data` events of the socket
 * @param nextBuffer Returns the buffer for subsequent reads, or `undefined` to keep the current one
 * @returns False if this Node.js release lacks one of the members, or the socket already has a buffer. The socket is
 * then unchanged
 */
// docs/decisions/0009
export function readInto(
  socket: Socket,
  buffer: Buffer,
  onRead: OnRead,
  nextBuffer: () => Buffer | undefined,
): boolean {
  const target = socket as unknown as ReadInto
  keys ??= findKeys(target)
  const handle = target._handle
  if (keys === undefined || typeof handle?.useUserBuffer !== 'function' || target[keys.buffer] !== null) return false
  target[keys.buffer] = buffer
  target[keys.nextBuffer] = nextBuffer
  target[keys.callback] = onRead
  handle.useUserBuffer(buffer)
  return true
}

/** Finds the private symbols of a socket by their descriptions. */
function findKeys(socket: ReadInto): Keys | undefined {
  const symbols = Object.getOwnPropertySymbols(socket)
  const named = (name: string): symbol | undefined => symbols.find(({ description }) => description === name)
  const [buffer, callback, nextBuffer] = [named('kBuffer'), named('kBufferCb'), named('kBufferGen')]
  if (buffer === undefined || callback === undefined || nextBuffer === undefined) return undefined
  return { buffer, callback, nextBuffer }
}
