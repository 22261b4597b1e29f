import { describe, expect, it } from 'vitest'
import { matchesStrongly, matchesWeakly } from './entity-tag.ts'

describe('matchesWeakly and matchesStrongly', () => {
  it.each([
    // list, tag, weak, strong
    ['"a"', '"a"', true, true],
    ['W/"a"', '"a"', true, false],
    ['"a"', 'W/"a"', true, false],
    ['W/"a"', 'W/"a"', true, false],
    ['"b"', '"a"', false, false],
    ['"x", "y",\t"a"', '"a"', true, true],
    [', ,"a",', '"a"', true, true],
    ['"a,b", "c"', '"c"', true, true],
    ['"x,a,y"', '"a"', false, false],
    ['"xa"', '"a"', false, false],
    ['"ax"', '"a"', false, false],
    ['', '"a"', false, false],
    ['a', '"a"', false, false],
    ['"a', '"a"', false, false],
    ['w/"a"', '"a"', false, false],
    ['"b" "a"', '"a"', false, false],
    ['junk, "a"', '"a"', false, false],
    ['"a", junk', '"a"', true, true],
    ['""', '""', true, true],
  ])('compares %j with %j: weak %s, strong %s', (list, tag, weak, strong) => {
    expect(matchesWeakly(list, tag)).toBe(weak)
    expect(matchesStrongly(list, tag)).toBe(strong)
  })
})
