import { read } from 'node:fs'

/** Bytes per call: Node.js takes 31 bits of a length and no more, and a thread of the pool is not to be busy for long. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads bytes of an open file into a buffer. By descriptor and callback, as the same through a `FileHandle` takes about
 * twice the processor time.
 *
 * @param offset Where in the buffer the bytes go
 * @param position Where in the file they are
 * @returns How many were read, be it less than the file has; 0 at its end
 * @throws the error of the file system
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
