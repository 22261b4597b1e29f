import type { ResponseBody } from '@fw/types'
import { BufferPool } from './buffer-pool.ts'
import { readAt } from './read-at.ts'

const pool = new BufferPool()

/**
 * Sends octets `start` to `end`, both inclusive, of an open file as the body of an answer, reading no faster than the
 * client takes them. Closes nothing. A file that has become shorter aborts the answer, so that the client cannot
 * take what follows on the connection for the rest.
 *
 * @param fd Descriptor of the file
 * @returns False if the file was too short
 * @throws the error of the file system, after aborting the answer
 */
export async function streamFile(body: ResponseBody, fd: number, start: number, end: number): Promise<boolean> {
  let position = start
  let buffer = pool.take(end - position + 1)
  let isTaken = false
  try {
    while (position <= end && body.isOpen) {
      const bytesRead = await readAt(fd, buffer, 0, Math.min(buffer.byteLength, end - position + 1), position)
      if (bytesRead === 0) {
        body.abort(new Error(`The file ended ${end - position + 1} octets early`))
        return false
      }
      position += bytesRead
      body.write(buffer.subarray(0, bytesRead))
      if (body.bufferedBytes === 0) continue
      await body.drained()
      if (body.bufferedBytes === 0) continue
      // Whatever the transport still holds must not be overwritten by the next read.
      pool.drop(buffer)
      buffer = pool.take(end - position + 1)
    }
    // Once nobody is there any more, what is buffered no longer tells what the transport holds.
    isTaken = body.isOpen && body.bufferedBytes === 0
    body.end()
    return true
  } catch (error) {
    body.abort(error instanceof Error ? error : undefined)
    throw error
  } finally {
    if (isTaken) pool.give(buffer)
    else pool.drop(buffer)
  }
}
