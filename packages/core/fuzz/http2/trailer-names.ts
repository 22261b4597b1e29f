import { HpackDecoder } from '../../src/http2/hpack/decoder.ts'
import { Flag, FrameType, type Frame } from '../../test/http2/frames.ts'
import { FrameStream, PREFACE_BYTES } from './frame-stream.ts'

/**
 * Returns the names of the trailer fields that a client sent, by their streams: engines discard some of them.
 *
 * @param bytes All bytes of the client, valid or not
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
      // Neither server decodes anything after that.
      return names
    }
    begun.add(streamId)
  }
  return names
}

/** The part of a HEADERS frame that is not padding or priority. */
function fragment(flags: number, payload: Frame['payload']): Buffer {
  const padding = (flags & Flag.PADDED) === 0 ? 0 : (payload[0] ?? 0)
  const start = ((flags & Flag.PADDED) === 0 ? 0 : 1) + ((flags & Flag.PRIORITY) === 0 ? 0 : 5)
  return payload.subarray(start, payload.length - padding)
}
