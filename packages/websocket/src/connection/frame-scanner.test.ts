import { everySplit } from '@fw/testing'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closeFrame, encodeFrame, type Frame } from '../../test/frames.ts'
import { FrameScanner } from './frame-scanner.ts'

interface Seen {
  /** Offsets after each complete frame. */
  readonly ends: number[]
  /** Offsets after each complete message. */
  readonly messageEnds: number[]
  /** Whether each frame is a control frame. */
  readonly controls: boolean[]
}

function scan(slices: readonly Uint8Array[]): Seen {
  const scanner = new FrameScanner()
  const seen: Seen = { ends: [], messageEnds: [], controls: [] }
  let offset = 0
  for (const slice of slices) {
    for (let at = 0; at < slice.length;) {
      at = scanner.pass(slice, at, (isControl) => seen.controls.push(isControl))
      if (scanner.isBetweenFrames) seen.ends.push(offset + at)
      if (scanner.isMessageEnd) seen.messageEnds.push(offset + at)
    }
    offset += slice.length
  }
  return seen
}

const frames: readonly Frame[] = [
  { opcode: 1, payload: Buffer.from('a') },
  { opcode: 2, payload: Buffer.alloc(0), fin: false },
  { opcode: 9, payload: Buffer.from('ping') },
  { opcode: 0, payload: Buffer.alloc(126), fin: true },
  closeFrame(1000),
]

describe('FrameScanner', () => {
  it('finds the same boundaries in every split', () => {
    const encoded = frames.map((frame) => encodeFrame(frame))
    const ends = encoded.map((_, at) => Buffer.concat(encoded.slice(0, at + 1)).length)
    const expected: Seen = {
      ends,
      messageEnds: [ends[0] ?? 0, ends[3] ?? 0],
      controls: [false, false, true, false, true],
    }
    for (const slices of everySplit(Buffer.concat(encoded))) expect(scan(slices)).toEqual(expected)
  })

  it('finds the boundaries of any frames', () => {
    const frame = fc.record({
      opcode: fc.constantFrom(0, 1, 2, 8, 9, 10),
      fin: fc.boolean(),
      payload: fc
        .oneof(fc.constantFrom(0, 125, 126, 65_535, 65_536), fc.nat(300))
        .map((length) => Buffer.alloc(length)),
    })
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 5 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.boolean(),
        (all, size, masked) => {
          const encoded = all.map((each) => encodeFrame(each, masked))
          const bytes = Buffer.concat(encoded)
          const slices = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            bytes.subarray(at * size, (at + 1) * size),
          )
          expect(scan(slices).ends).toEqual(encoded.map((_, at) => Buffer.concat(encoded.slice(0, at + 1)).length))
        },
      ),
    )
  })

  it('passes the first bytes of a frame with the maximum length', () => {
    const head = Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5])
    expect(scan([head])).toEqual({ ends: [], messageEnds: [], controls: [false] })
  })
})
