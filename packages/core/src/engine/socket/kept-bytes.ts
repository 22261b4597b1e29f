import { markAsUntransferable } from 'node:worker_threads'

/** Size of the buffer for small copies, in bytes. A separate allocation for each copy would take microseconds. */
const SHARED_BYTES = 8 * 1024
/**
 * Maximum ratio of a buffer's size to a view's. Above it, the view is copied, so that it does not keep the whole buffer
 * in memory.
 */
const MAX_RATIO = 8

let shared: Buffer = sharedMemory()
let used = 0

/**
 * Returns bytes that a consumer can keep: a view if it is at least an eighth of its buffer, otherwise a copy. A view of
 * one byte would keep a read of 64 KiB in memory.
 */
export function bytesToKeep(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const isLarge = (end - start) * MAX_RATIO >= bytes.buffer.byteLength
  return isLarge ? bytes.subarray(start, end) : copyBriefly(bytes, start, end)
}

/** Returns a copy for immediate use. Small copies share one buffer, and any of them keeps that buffer in memory. */
export function copyBriefly(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start
  if (length * MAX_RATIO > SHARED_BYTES) return copyBytes(bytes, start, end)
  if (used + length > SHARED_BYTES) {
    shared = sharedMemory()
    used = 0
  }
  const copy = shared.subarray(used, used + length)
  used += length
  copy.set(bytes.subarray(start, end))
  return copy
}

/** Allocates the buffer for small copies. Transferring one copy would detach all others, so transfers throw. */
function sharedMemory(): Buffer {
  const memory = Buffer.allocUnsafeSlow(SHARED_BYTES)
  markAsUntransferable(memory.buffer)
  return memory
}

/** Returns `first` followed by `second` in a new buffer. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Buffer {
  const both = Buffer.allocUnsafeSlow(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** Joins chunks in a new buffer. `Buffer.concat` would use the shared pool for small results. */
export function concatBytes(chunks: readonly Uint8Array[]): Buffer {
  let length = 0
  for (const chunk of chunks) length += chunk.byteLength
  const all = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}

/** Returns a copy in its own memory. `Buffer.from` would use the shared pool for a small copy. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(end - start)
  copy.set(bytes.subarray(start, end))
  return copy
}

/** Returns `bytes` if they do not share their buffer with other data, otherwise a copy. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : copyBytes(bytes, 0, bytes.byteLength)
}
