import type { ResponseBody } from '@fw/types'
import { BufferPool } from './buffer-pool.ts'
import { readAt } from './read-at.ts'
import { isUnchanged, sampleOf, type Changed, type Sample } from './sample.ts'
import { SliceBuffers } from './slice-buffers.ts'
import type { FileSource } from './source.ts'

const pool = new BufferPool()

/** What became of a body: all of it was sent, it was cut off, or nothing was sent as the file had changed before. */
export type StreamOutcome = 'sent' | 'cut' | Changed

/**
 * Sends bytes `start` to `end`, both inclusive, of an open file as the body of a response, reading no faster than the
 * client takes them. Closes nothing. A body that is complete is of the file as it was opened: one that was changed
 * before the first byte is not sent, one that was changed later is aborted, so that the client can tell. It may grow.
 *
 * @param begin Sends the head of the response, once the first bytes are read
 * @param before What was read of the file before it was opened: then it may have grown before the first byte, too
 * @throws the error of the file system, after aborting the response
 */
export async function streamFile(
  begin: () => ResponseBody,
  source: FileSource,
  start: number,
  end: number,
  before?: Sample,
): Promise<StreamOutcome> {
  const { fd } = source.handle
  const buffers = new SliceBuffers(pool)
  let position = start
  let body: ResponseBody | undefined
  let sample: Sample | undefined
  try {
    do {
      const left = end - position + 1
      const buffer = buffers.next(left)
      const bytesRead = await readAt(fd, buffer, 0, Math.min(buffer.byteLength, left), position)
      const slice = buffer.subarray(0, bytesRead)
      const isEdge = sample === undefined || bytesRead === left
      // What is between the first slice and the last is as true as those: it was read after the one, before the other.
      if (bytesRead === 0 || (isEdge && !(await isUnchanged(source, sample ?? before)))) {
        if (body === undefined) return { before: sampleOf(source, slice, position) }
        body.abort(new Error('The file was changed while it was sent'))
        return 'cut'
      }
      sample ??= sampleOf(source, slice, position)
      position += bytesRead
      body ??= begin()
      if (isTaken(body)) buffers.takeBack()
      body.write(slice)
      buffers.lend()
      if (body.bufferedBytes > 0) await body.drained()
      if (isTaken(body)) buffers.takeBack()
    } while (position <= end && body.isOpen)
    body.end()
    return 'sent'
  } catch (error) {
    body?.abort(error instanceof Error ? error : undefined)
    throw error
  } finally {
    buffers.close()
  }
}

/** Once nobody is there any more, what is buffered no longer tells what the transport holds. */
function isTaken(body: ResponseBody): boolean {
  return body.isOpen && body.bufferedBytes === 0
}
