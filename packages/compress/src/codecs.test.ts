import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { codecOf } from './codecs.ts'

/** Returns the window that a frame declares, in bytes (RFC 8878 §3.1.1.1). */
function windowOf(frame: Uint8Array): number {
  const view = Buffer.from(frame)
  const descriptor = view.readUInt8(4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  // A single segment has no window descriptor: its window is the content, whose size has 1, 2, 4 or 8 bytes.
  if (isSingleSegment) return descriptor >> 6 === 1 ? view.readUInt16LE(5) + 256 : view.readUInt8(5)
  const windowDescriptor = view.readUInt8(5)
  const base = 2 ** (10 + (windowDescriptor >> 3))
  return base + (base / 8) * (windowDescriptor & 7)
}

describe('the codec of zstd', () => {
  it.each([1, 3, 19, 22])('uses a window of at most 32 KiB below 32 KiB, at level %i', (level) => {
    const body = 'abc'.repeat(10_000)
    expect(windowOf(codecOf('zstd', level).encode(body, body.length))).toBeLessThanOrEqual(32 * 1024)
  })

  it('uses a window of at most 8 MiB for streams at level 20 (RFC 9659)', async () => {
    const stream = codecOf('zstd', 20).stream(false)
    const pieces: Uint8Array[] = []
    stream.on('data', (piece: Uint8Array) => pieces.push(piece))
    stream.end('abc')
    await once(stream, 'end')
    expect(windowOf(Buffer.concat(pieces))).toBe(8 * 1024 * 1024)
  })

  it('uses a window of at most 64 KiB for event streams', async () => {
    const stream = codecOf('zstd', 3).stream(true)
    const pieces: Uint8Array[] = []
    stream.on('data', (piece: Uint8Array) => pieces.push(piece))
    stream.write('abc')
    stream.end('abc')
    await once(stream, 'end')
    expect(windowOf(Buffer.concat(pieces))).toBe(64 * 1024)
  })
})
