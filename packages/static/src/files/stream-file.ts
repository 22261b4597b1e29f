import { withCode } from '@fw/options'
import type { ResponseBody } from '@fw/types'
import { BufferPool } from './buffer-pool.ts'
import { readAt } from './read-at.ts'
import { isUnchanged, sampleOf, type Changed, type Sample } from './sample.ts'
import { SliceBuffers } from './slice-buffers.ts'
import type { FileSource } from './source.ts'

const pool = new BufferPool()

/** Outcome of sending a body: sent, aborted (`'cut'`), or not begun because the file had changed. */
export type StreamOutcome = 'sent' | 'cut' | Changed

/**
 * Sends bytes `start` to `end`, both inclusive, of an open file as a response body, with backpressure from the client. Does not
 * close the file. A complete body always contains a single state of the file. This function returns a change before the first
 * byte, and aborts the response after a later change. Growth alone does not count as a change.
 *
 * @param begin Sends the response head, after the first read
 * @param before Sample from an earlier attempt. With it, accepts a file that grew before the first byte was sent
 * @throws the file system error, after aborting the response
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
      // Checking the first and the last slice also covers the slices that are read between them.
      if (bytesRead === 0 || (isEdge && !(await isUnchanged(source, sample ?? before)))) {
        if (body === undefined) return { before: sampleOf(source, slice, position) }
        body.abort(withCode('FW_FILE_UNAVAILABLE', new Error('The file changed while it was being sent')))
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

/** Reports whether the client has read everything. After a disconnect, `bufferedBytes` does not describe the transport. */
function isTaken(body: ResponseBody): boolean {
  return body.isOpen && body.bufferedBytes === 0
}
