import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeLine } from '../text/escape.ts'
import { LineBuffer } from '../text/line-buffer.ts'
import { LineBatch } from './line-batch.ts'

function contentOf(batch: LineBatch): string {
  const { bytes, length } = batch.encoded()
  return Buffer.from(bytes.subarray(0, length)).toString()
}

const START = fc.constantFrom('', '[INFO ] ', '[INFO ] [日.ts:1] ')
const MESSAGE = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom('a\nb', '\n', '\r', '\u001b[31m', 'é', '日本', '\ud800', '\u007f', '\0') },
)

describe('LineBatch', () => {
  it('contains escaped lines in order, regardless of the method that added them', () => {
    const batch = new LineBatch()
    fc.assert(
      fc.property(fc.array(fc.tuple(START, MESSAGE, fc.boolean()), { maxLength: 30 }), (lines) => {
        batch.clear()
        for (const [start, message, isReady] of lines) {
          if (isReady) batch.addReady(start, message)
          else batch.add(new LineBuffer(`${start}${escapeLine(message)}\n`))
        }
        expect(batch.lines).toBe(lines.length)
        expect(contentOf(batch)).toBe(lines.map(([start, message]) => `${start}${escapeLine(message)}\n`).join(''))
        expect(batch.length).toBe(batch.encoded().length)
      }),
      { numRuns: 1000 },
    )
  })

  it('makes one message with a line break distinguishable from two messages', () => {
    const batch = new LineBatch()
    batch.addReady('', 'a\n[INFO ] forged')
    batch.addReady('', 'b')
    expect(contentOf(batch)).toBe('a\\n[INFO ] forged\nb\n')
  })

  it('is empty after clear, even if text was not yet encoded', () => {
    const batch = new LineBatch()
    batch.addReady('', 'text')
    batch.clear()
    expect([batch.lines, batch.length, contentOf(batch)]).toEqual([0, 0, ''])
  })

  it('accepts long strings, alone and together', () => {
    const batch = new LineBatch()
    const message = 'é'.repeat(4096)
    for (let at = 0; at < 100; at++) batch.addReady('', message)
    expect(contentOf(batch)).toBe(`${message}\n`.repeat(100))
  })
})
