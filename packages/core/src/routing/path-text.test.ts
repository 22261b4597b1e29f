import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodePath, toggleSlash, referenceToOtherEnd, segmentText, withoutCase } from './path-text.ts'

/** Reference implementation: splits at slashes, then decodes each segment once. */
function segmentsByTheRule(path: string): string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** Generates paths with valid and malformed encodings. */
const path = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '/',
        '%',
        '%2F',
        '%2f',
        '%25',
        '%252F',
        '%C3%A9',
        '%C3',
        '%FF',
        '%ED%B0%AF',
        '%zz',
        'a',
        '\xe9',
        '+',
      ),
      fc.string({ unit: 'binary', maxLength: 2 }).map(encodeURIComponent),
      fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => `/${pieces.join('')}`)

describe('decodePath', () => {
  it('decodes each segment once, as decodeURIComponent does', () => {
    fc.assert(
      fc.property(path, (given) => {
        const decoded = decodePath(given)
        expect(decoded?.split('/').map(segmentText)).toEqual(segmentsByTheRule(given))
      }),
      { numRuns: 2000 },
    )
  })

  it('restores any text that encodeURIComponent encoded', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const decoded = decodePath(`/${texts.map(encodeURIComponent).join('/')}`)
        expect(decoded?.slice(1).split('/').map(segmentText)).toEqual(texts.length === 0 ? [''] : texts)
      }),
    )
  })

  it('keeps an encoded slash within its segment', () => {
    expect(decodePath('/a%2Fb/c')?.split('/').map(segmentText)).toEqual(['', 'a/b', 'c'])
    expect(decodePath('/a%252Fb')).toBe('/a%2Fb')
  })
})

describe('withoutCase', () => {
  it('keeps the length of any text, so indexes also fit the original text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(withoutCase(text)).toHaveLength(text.length)
      }),
    )
    const everyUnit = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code))
    expect(everyUnit.filter((unit) => withoutCase(unit).length !== 1)).toEqual([])
  })
})

describe('referenceToOtherEnd', () => {
  it.each([
    ['/a', './a/'],
    ['/a/', '../a'],
    ['/a/b:c', './b:c/'],
    ['//example.com', './example.com/'],
    ['//example.com/', '../example.com'],
    ['/\\example.com', './\\example.com/'],
  ])('converts %s to the reference %s', (from, reference) => {
    expect(referenceToOtherEnd(from)).toBe(reference)
  })

  it('resolves to the path with the slash toggled, never to another host', () => {
    const name = fc.stringMatching(/^[\w~:@!$&'()*+,;=-]{1,6}$/)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.boolean(), (names, hasSlash) => {
        const from = `/${names.join('/')}${hasSlash ? '/' : ''}`
        expect(new URL(referenceToOtherEnd(from), `https://here.test${from}`).href).toBe(
          `https://here.test${toggleSlash(from)}`,
        )
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^\/[!-~]*$/), (from) => {
        const base = `https://here.test${from.replace(/[?#]/g, '')}`
        fc.pre(URL.canParse(base))
        expect(new URL(referenceToOtherEnd(from), base).host).toBe('here.test')
      }),
    )
  })
})
