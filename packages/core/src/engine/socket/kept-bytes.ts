import { markAsUntransferable } from 'node:worker_threads'

/** What content that is passed on at once is copied to: to allocate memory for each piece takes microseconds. */
const SHARED_BYTES = 8 * 1024
/** What is a smaller part than that of what was received with it does not keep that. */
const PART = 8

let shared: Buffer = sharedMemory()
let used = 0

/**
 * Content for whoever may keep it, as it is where it is most of what it was received with. Else a client could have a
 * process keep 64 KiB for each byte of a body.
 */
export function bytesToKeep(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const isMost = (end - start) * PART >= bytes.buffer.byteLength
  return isMost ? bytes.subarray(start, end) : copyBriefly(bytes, start, end)
}

/** A copy, which shares its memory with others where it is small: for who is done with it soon. */
export function copyBriefly(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const length = end - start
  if (length * PART > SHARED_BYTES) return copyBytes(bytes, start, end)
  if (used + length > SHARED_BYTES) {
    shared = sharedMemory()
    used = 0
  }
  const copy = shared.subarray(used, used + length)
  used += length
  copy.set(bytes.subarray(start, end))
  return copy
}

/** Who would transfer the memory of a piece, to a worker or into a stream of bytes, would take that of all others; it throws. */
function sharedMemory(): Buffer {
  const memory = Buffer.allocUnsafeSlow(SHARED_BYTES)
  markAsUntransferable(memory.buffer)
  return memory
}

/** Both, one behind the other, in memory of their own. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Buffer {
  const both = Buffer.allocUnsafeSlow(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** Joins chunks in their own memory. `Buffer.concat` takes small ones from the pool of the process. */
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

/** A copy that shares its memory with nothing; that of `Buffer.from` would keep what others had copied then. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(end - start)
  copy.set(bytes.subarray(start, end))
  return copy
}

/** The same bytes in memory that nothing else is in: as they are if that is so already. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : copyBytes(bytes, 0, bytes.byteLength)
}
