import { everySplit } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { encodeFrame, FrameReader, FrameType, type FrameHandler } from './frames.ts'

/** Records HEADERS whole and DATA in slices (joined per frame), and skips other frames. */
class Recorder implements FrameHandler {
  readonly found: string[] = []
  onFrame(type: number, length: number): 'whole' | 'slices' | 'skip' {
    this.found.push(`${type}(${length})`)
    if (type === FrameType.HEADERS) return 'whole'
    return type === FrameType.DATA ? 'slices' : 'skip'
  }
  onPayload(type: number, payload: Uint8Array): void {
    this.found.push(`whole ${type}: ${Buffer.from(payload).toString()}`)
  }
  onSlice(slice: Uint8Array): void {
    if (slice.byteLength === 0) throw new Error('Slice is empty')
    const text = Buffer.from(slice).toString()
    const last = this.found.at(-1) ?? ''
    if (last.startsWith('data: ')) this.found[this.found.length - 1] = last + text
    else this.found.push(`data: ${text}`)
  }
}

const wire = Buffer.concat([
  encodeFrame(0x21, Buffer.from('grease')),
  encodeFrame(FrameType.HEADERS, Buffer.from('head')),
  encodeFrame(FrameType.DATA, Buffer.from('abc')),
  encodeFrame(FrameType.DATA, Buffer.alloc(0)),
  encodeFrame(0x4000_0000, Buffer.alloc(70, 'x')),
  encodeFrame(FrameType.HEADERS, Buffer.alloc(0)),
])

describe('FrameReader', () => {
  it('finds the same frames wherever the bytes are split', () => {
    for (const slices of everySplit(wire)) {
      const recorder = new Recorder()
      const reader = new FrameReader(recorder)
      for (const slice of slices) reader.push(slice)
      expect(recorder.found).toEqual([
        '33(6)',
        '1(4)',
        'whole 1: head',
        '0(3)',
        'data: abc',
        '0(0)',
        '1073741824(70)',
        '1(0)',
        'whole 1: ',
      ])
      expect(reader.isBetweenFrames).toBe(true)
    }
  })

  it('reports whether it is within a frame', () => {
    const reader = new FrameReader(new Recorder())
    expect(reader.isBetweenFrames).toBe(true)
    const frame = encodeFrame(FrameType.DATA, Buffer.from('abc'))
    for (const byte of frame.subarray(0, -1)) {
      reader.push(Uint8Array.of(byte))
      expect(reader.isBetweenFrames).toBe(false)
    }
    reader.push(frame.subarray(-1))
    expect(reader.isBetweenFrames).toBe(true)
  })

  it('passes slices of a large payload on immediately, without buffering them', () => {
    const recorder = new Recorder()
    const reader = new FrameReader(recorder)
    reader.push(Buffer.from('00ffffffffffffffff', 'hex'))
    reader.push(Buffer.from('first'))
    expect(recorder.found.slice(1)).toEqual(['data: first'])
  })

  it('propagates exceptions from its handler', () => {
    const handler = new Recorder()
    handler.onFrame = () => {
      throw new RangeError('no such frame')
    }
    expect(() => new FrameReader(handler).push(wire)).toThrow('no such frame')
  })
})
