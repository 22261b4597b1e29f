import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { multipartSlices } from './multipart-slices.ts'

function slices(text: string): string[] {
  return Array.from(multipartSlices(Buffer.from(text)), (slice) => Buffer.from(slice).toString())
}

describe('multipartSlices', () => {
  it('returns one slice for bytes with 16 delimiters', () => {
    const text = `file${'\r\n--b'.repeat(16)} and more`
    expect(slices(text)).toEqual([text])
  })

  it('begins a slice with the 17th delimiter', () => {
    const first = `file${'\r\n--b'.repeat(16)}`
    expect(slices(`${first}\r\n--b--`)).toEqual([first, '\r\n--b--'])
  })

  it('returns all bytes in order, in slices of at most 16 delimiters', () => {
    const pieces = fc.array(fc.constantFrom('\r\n--', '\r', '\n', '--', 'x'), { maxLength: 300 })
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join('')
        const found = slices(text)
        expect(found.join('')).toBe(text)
        for (const slice of found) expect(slice.split('\r\n--').length - 1).toBeLessThanOrEqual(16)
      }),
    )
  })
})
