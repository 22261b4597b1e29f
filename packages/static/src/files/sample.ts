import { setTimeout as delay } from 'node:timers/promises'
import { isSameContent } from './file-identity.ts'
import { readAt } from './read-at.ts'
import { stateOf, type FileSource } from './source.ts'

/** Bytes that are remembered of what was read, to tell a file that has grown from another one in its place. */
const SAMPLE_BYTES = 4096

/** A write at the end of a file changes its time first, and its size once the bytes are there. */
const APPEND_MS = 5

/** Bytes of a file, as they were before it changed. */
export interface Sample {
  readonly dev: bigint
  readonly ino: bigint
  /** Where in the file they are. */
  readonly position: number
  readonly bytes: Uint8Array
}

/** A file was changed since it was opened. */
export interface Changed {
  /** What was read of it before, if anything. */
  readonly before: Sample | undefined
}

/** The end of what was read. */
export function sampleOf({ stats }: FileSource, slice: Uint8Array, position: number): Sample {
  const first = Math.max(0, slice.byteLength - SAMPLE_BYTES)
  return { dev: stats.dev, ino: stats.ino, position: position + first, bytes: Uint8Array.from(slice.subarray(first)) }
}

/**
 * Whether a file still is what it was when it was opened, as far as it was long then.
 *
 * @param before What of it was read before it was opened, or sent since. Without it the file may not even have grown: it
 *   may as well have been emptied and filled anew before the first byte was read
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
