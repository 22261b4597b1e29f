import { read } from 'node:fs'

/** Maximum bytes per call. Node.js limits a length to 31 bits, and a longer read would occupy a pool thread for too long. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads bytes from an open file into a buffer. Uses a descriptor and a callback, because `FileHandle.read` needs about twice
 * the CPU time.
 *
 * @param offset Position in the buffer
 * @param position Position in the file
 * @returns The number of bytes read, which can be less than `length`; 0 at the end of the file
 * @throws the file system error
 */
export function readAt(
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, offset, Math.min(length, MAX_BYTES), position, (error, bytesRead) => {
      if (error === null) resolve(bytesRead)
      else reject(error)
    })
  })
}
