import type { FileHandle } from 'node:fs/promises'
import type { ResponseBody } from '@fw/types'
import { BufferPool } from './buffer-pool.ts'

const pool = new BufferPool()

/**
 * Sends octets `start` to `end`, both inclusive, of an open file as the body of an answer, reading no faster than the
 * client takes them. Closes nothing. A file that has become shorter aborts the answer, so that the client cannot
 * take what follows on the connection for the rest.
 *
 * @returns False if the file was too short
 * @throws the error of the file system, after aborting the answer
 */
export async function streamFile(body: ResponseBody, handle: FileHandle, start: number, end: number): Promise<boolean> {
  let buffer = pool.take()
  let position = start
  try {
    while (position <= end && body.isOpen) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.byteLength, end - position + 1), position)
      if (bytesRead === 0) {
        body.abort(new Error(`The file ended ${end - position + 1} octets early`))
        return false
      }
      position += bytesRead
      body.write(buffer.subarray(0, bytesRead))
      if (body.bufferedBytes === 0) continue
      await body.drained()
      // Whatever the transport still holds must not be overwritten by the next read.
      if (body.bufferedBytes > 0) buffer = pool.take()
    }
    body.end()
    // An answer cut off may leave the buffer with the transport: then it is not used again.
    if (body.bufferedBytes === 0 && position > end) pool.give(buffer)
    return true
  } catch (error) {
    body.abort(error instanceof Error ? error : undefined)
    throw error
  }
}
