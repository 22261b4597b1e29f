import { HpackDecoder } from '../../src/http2/hpack/decoder.ts'
import { Flag, FrameType, type Frame } from '../../test/http2/frames.ts'
import { FrameStream, PREFACE_BYTES } from './frame-stream.ts'

/**
 * Returns the names of the client's trailer fields by stream ID. Engines discard some of these fields.
 *
 * @param bytes All bytes from the client, valid or not
 */
export function trailerNames(bytes: Buffer): ReadonlyMap<number, ReadonlySet<string>> {
  const hpack = new HpackDecoder(4096, Infinity)
  const names = new Map<number, ReadonlySet<string>>()
  const begun = new Set<number>()
  let block: Buffer[] = []
  for (const { type, flags, streamId, payload } of new FrameStream().take(bytes.subarray(PREFACE_BYTES))) {
    if (type !== FrameType.HEADERS && type !== FrameType.CONTINUATION) continue
    block.push(type === FrameType.HEADERS ? fragment(flags, payload) : payload)
    if ((flags & Flag.END_HEADERS) === 0) continue
    const whole = Buffer.concat(block)
    block = []
    try {
      const { fields } = hpack.decode(whole, 0, whole.length)
      if (begun.has(streamId)) names.set(streamId, new Set(fields.filter((_, i) => i % 2 === 0)))
    } catch {
      // Both servers stop decoding here.
      return names
    }
    begun.add(streamId)
  }
  return names
}

/** Returns the field block of a HEADERS frame, without padding and priority. */
function fragment(flags: number, payload: Frame['payload']): Buffer {
  const padding = (flags & Flag.PADDED) === 0 ? 0 : (payload[0] ?? 0)
  const start = ((flags & Flag.PADDED) === 0 ? 0 : 1) + ((flags & Flag.PRIORITY) === 0 ? 0 : 5)
  return payload.subarray(start, payload.length - padding)
}
