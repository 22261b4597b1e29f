import { read } from 'node:fs'

/**
 * Reads octets of an open file into a buffer. By descriptor and callback, as the same through a `FileHandle` takes about
 * twice the processor time.
 *
 * @param offset Where in the buffer the octets go
 * @param position Where in the file they are
 * @returns How many were read; 0 at the end of the file
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
    read(fd, buffer, offset, length, position, (error, bytesRead) => {
      if (error === null) resolve(bytesRead)
      else reject(error)
    })
  })
}
