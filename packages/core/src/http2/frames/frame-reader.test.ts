import { describe, expect, it } from 'vitest'
import { Flag, FrameType, data, frame, settings } from '../../../test/http2/frames.ts'
import { FrameReader } from './frame-reader.ts'

interface Read {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly payload: string
}

function readAll(reader: FrameReader): Read[] {
  const frames: Read[] = []
  while (reader.next()) {
    const { type, flags, streamId, bytes, start, end } = reader
    frames.push({ type, flags, streamId, payload: bytes.toString('latin1', start, end) })
  }
  return frames
}

const WIRE = Buffer.concat([settings(), data(1, 'hello'), frame(FrameType.PING, Flag.ACK, 0, '12345678'), data(3, '')])
const FRAMES: readonly Read[] = [
  { type: FrameType.SETTINGS, flags: 0, streamId: 0, payload: '' },
  { type: FrameType.DATA, flags: 0, streamId: 1, payload: 'hello' },
  { type: FrameType.PING, flags: Flag.ACK, streamId: 0, payload: '12345678' },
  { type: FrameType.DATA, flags: 0, streamId: 3, payload: '' },
]

describe('FrameReader', () => {
  it('reads the same frames from every split into two chunks', () => {
    for (let cut = 0; cut <= WIRE.length; cut++) {
      const reader = new FrameReader()
      reader.push(WIRE.subarray(0, cut))
      const first = readAll(reader)
      reader.push(WIRE.subarray(cut))
      expect([...first, ...readAll(reader)]).toEqual(FRAMES)
    }
  })

  it('reads the same frames byte by byte', () => {
    const reader = new FrameReader()
    const frames = Array.from(WIRE).flatMap((byte) => {
      reader.push(Buffer.of(byte))
      return readAll(reader)
    })
    expect(frames).toEqual(FRAMES)
  })

  it('continues where it stopped when more bytes are pushed', () => {
    const reader = new FrameReader()
    reader.push(WIRE)
    expect(reader.next()).toBe(true)
    expect(reader.hasRest).toBe(true)
    reader.push(WIRE)
    expect(readAll(reader)).toEqual([...FRAMES.slice(1), ...FRAMES])
    expect(reader.hasRest).toBe(false)
  })

  it('ignores the reserved bit', () => {
    const reader = new FrameReader()
    reader.push(frame(FrameType.DATA, 0, 2 ** 31 + 5))
    expect(readAll(reader)).toMatchObject([{ streamId: 5 }])
  })

  it.each([
    ['with its whole header', 9],
    ['split within its header', 8],
    ['split after its header', 10],
  ])('rejects an oversized frame before its payload arrives, %s', (_name, cut) => {
    const long = data(1, Buffer.alloc(16_385))
    const reader = new FrameReader()
    expect(() => {
      reader.push(long.subarray(0, cut))
      readAll(reader)
      reader.push(long.subarray(cut, 11))
      readAll(reader)
    }).toThrow(expect.objectContaining({ code: 6 }))
  })

  it.each([
    [data(1, '\x02abXX', Flag.PADDED), 'ab'],
    [data(1, '\x00ab', Flag.PADDED), 'ab'],
    [data(1, '\x02XX', Flag.PADDED), ''],
    [data(1, 'ab'), 'ab'],
  ])('strips the padding of frame %#', (wire, body) => {
    const reader = new FrameReader()
    reader.push(wire)
    reader.next()
    reader.stripPadding()
    expect(reader.bytes.toString('latin1', reader.start, reader.end)).toBe(body)
  })

  it.each([
    ['', 'without its length'],
    ['\x01', 'longer than the payload'],
  ])('rejects payload %j with padding %s', (payload) => {
    const reader = new FrameReader()
    reader.push(data(1, payload, Flag.PADDED))
    reader.next()
    expect(() => reader.stripPadding()).toThrow(expect.objectContaining({ code: 1 }))
  })
})
