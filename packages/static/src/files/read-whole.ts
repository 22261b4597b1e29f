import { readAt } from './read-at.ts'
import { isUnchanged, sampleOf, type Changed, type Sample } from './sample.ts'
import type { FileSource, MemorySource } from './source.ts'

/**
 * Reads a file into memory, up to its size at the time of opening.
 *
 * @param before Sample from an earlier attempt. With it, accepts a file that has only grown
 */
export async function readWhole(source: FileSource, before?: Sample): Promise<MemorySource | Changed> {
  const { handle, stats } = source
  const size = Number(stats.size)
  const bytes = Buffer.allocUnsafeSlow(size)
  let filled = 0
  while (filled < size) {
    const bytesRead = await readAt(handle.fd, bytes, filled, size - filled, filled)
    if (bytesRead === 0) return { before: undefined }
    filled += bytesRead
  }
  return (await isUnchanged(source, before)) ? { stats, bytes } : { before: sampleOf(source, bytes, 0) }
}
