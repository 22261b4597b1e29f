import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineBuffer } from './line-buffer.ts'

function textOf(line: LineBuffer): string {
  return Buffer.from(line.bytes.subarray(0, line.length)).toString()
}

describe('LineBuffer', () => {
  it('contains added text in order, at any length', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.nat({ max: 30_000 }).map((length) => 'é'.repeat(length)),
    )
    const line = new LineBuffer()
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        line.rewind(0)
        for (const each of pieces) line.addText(each)
        line.addLineBreak()
        expect(textOf(line)).toBe(`${pieces.join('')}\n`)
      }),
      { numRuns: 50 },
    )
  })

  it.each([0, 9, 10, 99, 100, 12_345, 2 ** 31 - 1, 2 ** 31, -1, -0, 1.5, 1e21, NaN, -Infinity])(
    'formats the number %d like String',
    (value) => {
      const line = new LineBuffer()
      line.addNumber(value)
      expect(textOf(line)).toBe(String(value))
    },
  )

  it('formats random numbers and numbers near each power of ten like String', () => {
    const line = new LineBuffer()
    const shown = (value: number): string => {
      line.rewind(0)
      line.addNumber(value)
      return textOf(line)
    }
    for (let power = 10; power < 2 ** 31; power *= 10) {
      for (const value of [power - 1, power, power + 1]) expect(shown(value)).toBe(String(value))
    }
    fc.assert(fc.property(fc.nat({ max: 2 ** 31 - 1 }), (value) => shown(value) === String(value)))
  })

  it.each([
    ['', true],
    [' ~', true],
    ['x'.repeat(32), true],
    ['x'.repeat(33), true],
    ['x'.repeat(4096), true],
    ['x'.repeat(4097), false],
    ['tab\t', false],
    ['line\n', false],
    ['\u007f', false],
    ['é', false],
    ['漢', false],
    ['\ud800', false],
  ])('evaluates addPlain(%j) to %j', (text, taken) => {
    const line = new LineBuffer('a ')
    expect(line.addPlain(text)).toBe(taken)
    expect(textOf(line)).toBe(taken ? `a ${text}` : 'a ')
  })

  it('accepts or rejects text in addPlain by its characters, regardless of length and position', () => {
    const unit = fc.oneof(
      { weight: 50, arbitrary: fc.constantFrom(' ', '~', 'a', '0') },
      { weight: 1, arbitrary: fc.constantFrom('\u001f', '\u007f', '\n', '\0', '\u0080', 'é', '漢', '😀', '\ud800') },
    )
    const line = new LineBuffer()
    fc.assert(
      fc.property(fc.nat({ max: 9 }), fc.string({ unit, maxLength: 90 }), (before, text) => {
        line.rewind(0)
        line.addText('é'.repeat(before))
        const shown = line.addPlain(text) && textOf(line)
        expect(shown).toBe(/^[ -~]*$/.test(text) && 'é'.repeat(before) + text)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([0, 1, 2, 3, 4, 5, 255, 256, 257, 100_000])('adds %d bytes from another buffer', (length) => {
    const line = new LineBuffer('ab')
    line.addAll(new LineBuffer('x'.repeat(length)))
    line.addAll(new LineBuffer('yz'))
    expect(textOf(line)).toBe(`ab${'x'.repeat(length)}yz`)
  })

  it('keeps the text before the rewind position and releases the memory of a long line', () => {
    const line = new LineBuffer()
    line.addText('head ')
    line.addText('x'.repeat(1_000_000))
    line.rewind(5)
    expect(textOf(line)).toBe('head ')
    expect(line.bytes.length).toBeLessThan(100_000)
  })
})
