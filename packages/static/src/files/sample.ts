import { setTimeout as delay } from 'node:timers/promises'
import { isSameContent } from './file-identity.ts'
import { readAt } from './read-at.ts'
import { stateOf, type FileSource } from './source.ts'

/** Bytes of a sample. A sample distinguishes a file that has grown from a replaced one. */
const SAMPLE_BYTES = 4096

/** Time between the two effects of an append: the kernel first updates the timestamp, then the size. */
const APPEND_MS = 5

/** Bytes of a file from before a change. */
export interface Sample {
  readonly dev: bigint
  readonly ino: bigint
  /** Position of the bytes in the file. */
  readonly position: number
  readonly bytes: Uint8Array
}

/** Reports that a file changed after it was opened. */
export interface Changed {
  /** Sample of the bytes read before the change, if any. */
  readonly before: Sample | undefined
}

/** Copies the last bytes of a slice as a sample. */
export function sampleOf({ stats }: FileSource, slice: Uint8Array, position: number): Sample {
  const first = Math.max(0, slice.byteLength - SAMPLE_BYTES)
  return { dev: stats.dev, ino: stats.ino, position: position + first, bytes: Uint8Array.from(slice.subarray(first)) }
}

/**
 * Reports whether the bytes that the file contained when it was opened are unchanged.
 *
 * @param before Sample from before the file was opened, or of bytes sent since then. Without a sample, growth counts as a
 *   change, because the file may have been rewritten before the first read
 */
// docs/decisions/0055
export async function isUnchanged(source: FileSource, before: Sample | undefined): Promise<boolean> {
  const { stats } = source
  let now = await stateOf(source)
  if (isSameContent(now, stats)) return true
  if (before === undefined || before.ino !== stats.ino || before.dev !== stats.dev) return false
  if (now.size === stats.size) {
    await delay(APPEND_MS)
    now = await stateOf(source)
  }
  if (now.size <= stats.size) return false
  const { position, bytes } = before
  const again = Buffer.alloc(bytes.byteLength)
  return (await readAt(source.handle.fd, again, 0, again.byteLength, position)) > 0 && again.equals(bytes)
}
