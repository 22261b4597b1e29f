import { expect, it } from 'vitest'
import { everySplit } from '../every-split.ts'
import { type FrameHead, FrameScanner, endsStream } from './frame-scanner.ts'

it('finds the same frames for every split of the input', () => {
  const wire = Buffer.from(['000000040000000000', '000003000180000001', '616263', '000000010500000003'].join(''), 'hex')
  for (const slices of everySplit(wire)) {
    const frames: FrameHead[] = []
    const scanner = new FrameScanner((frame) => frames.push(frame))
    for (const slice of slices) scanner.scan(slice)
    expect(frames).toEqual([
      { lengthBytes: 0, type: 4, flags: 0, streamId: 0 },
      { lengthBytes: 3, type: 0, flags: 1, streamId: 1 },
      { lengthBytes: 0, type: 1, flags: 5, streamId: 3 },
    ])
    expect(frames.map(endsStream)).toEqual([false, true, true])
  }
})

it('distinguishes a SETTINGS ACK from END_STREAM', () => {
  expect(endsStream({ lengthBytes: 0, type: 4, flags: 1, streamId: 0 })).toBe(false)
})
