import { setTimeout as delay } from 'node:timers/promises'
import type { ResponseBody } from '@fw/types'
import { BufferPool } from './buffer-pool.ts'
import { isSameContent } from './file-identity.ts'
import { readAt } from './read-at.ts'
import { stateOf, type FileSource } from './source.ts'

const pool = new BufferPool()

/** Octets that are remembered of what was sent first, to tell a file that has grown from another one in its place. */
const SAMPLE_BYTES = 4096

/** A write at the end of a file changes its time first, and its size once the octets are there. */
const APPEND_MS = 5

/** Octets that were sent, and where in the file they were. */
interface Sample {
  readonly position: number
  readonly bytes: Uint8Array
}

/** What became of a body: all of it was sent, or nothing, or it was cut off. */
export type StreamOutcome = 'sent' | 'unsent' | 'cut'

/**
 * Sends octets `start` to `end`, both inclusive, of an open file as the body of an answer, reading no faster than the
 * client takes them. Closes nothing. A body that is complete is of the file as it was opened: one that was changed
 * before the first octet is not sent, one that was changed later is aborted, so that the client can tell. It may grow.
 *
 * @param begin Sends the head of the answer, once the first octets are read
 * @throws the error of the file system, after aborting the answer
 */
export async function streamFile(
  begin: () => ResponseBody,
  source: FileSource,
  start: number,
  end: number,
): Promise<StreamOutcome> {
  const { fd } = source.handle
  let position = start
  let buffer = pool.take(end - position + 1)
  let isTaken = true
  let body: ResponseBody | undefined
  let sample: Sample | undefined
  try {
    do {
      const bytesRead = await readAt(fd, buffer, 0, Math.min(buffer.byteLength, end - position + 1), position)
      const slice = buffer.subarray(0, bytesRead)
      const isEdge = sample === undefined || position + bytesRead > end
      // What is between the first slice and the last is as true as those: it was read after the one, before the other.
      if (bytesRead === 0 || (isEdge && !(await isUnchanged(source, sample)))) {
        body?.abort(new Error('The file was changed while it was sent'))
        isTaken = body === undefined
        return body === undefined ? 'unsent' : 'cut'
      }
      sample ??= sampleOf(slice, position)
      position += bytesRead
      body ??= begin()
      isTaken = false
      body.write(slice)
      if (body.bufferedBytes === 0) continue
      await body.drained()
      if (body.bufferedBytes === 0) continue
      // Whatever the transport still holds must not be overwritten by the next read.
      pool.drop(buffer)
      buffer = pool.take(end - position + 1)
    } while (position <= end && body.isOpen)
    // Once nobody is there any more, what is buffered no longer tells what the transport holds.
    isTaken = body.isOpen && body.bufferedBytes === 0
    body.end()
    return 'sent'
  } catch (error) {
    body?.abort(error instanceof Error ? error : undefined)
    throw error
  } finally {
    if (isTaken) pool.give(buffer)
    else pool.drop(buffer)
  }
}

function sampleOf(slice: Uint8Array, position: number): Sample {
  const first = Math.max(0, slice.byteLength - SAMPLE_BYTES)
  return { position: position + first, bytes: Uint8Array.from(slice.subarray(first)) }
}

/**
 * Whether a file is what it was when it was opened, as far as it was sent.
 *
 * @param sample Absent as long as nothing was sent: then the file may not even have grown
 */
async function isUnchanged(source: FileSource, sample: Sample | undefined): Promise<boolean> {
  let now = await stateOf(source)
  if (isSameContent(now, source.stats)) return true
  if (sample === undefined) return false
  if (now.size === source.stats.size) {
    await delay(APPEND_MS)
    now = await stateOf(source)
  }
  if (now.size <= source.stats.size) return false
  const { position, bytes } = sample
  const again = Buffer.alloc(bytes.byteLength)
  return (await readAt(source.handle.fd, again, 0, again.byteLength, position)) > 0 && again.equals(bytes)
}
