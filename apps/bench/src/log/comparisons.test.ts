import { describe, expect, it } from 'vitest'
import { checkLines } from './comparisons.ts'

function line(n: number): string {
  return `listening on 127.0.0.1:${n}\n`
}

describe('checkLines', () => {
  it('takes every line, in order, once', () => {
    expect(() => checkLines([0, 1, 2].map(line).join(''), 3)).not.toThrow()
  })

  it.each([
    [[0, 1], 'It wrote 2 of 3 lines'],
    [[0, 1, 2, 3], 'It wrote 4 of 3 lines'],
    [[0, 2, 1], 'It wrote lines out of order'],
    [[0, 1, 1], 'It wrote lines out of order'],
  ])('refuses %j', (numbers, message) => {
    expect(() => checkLines(numbers.map(line).join(''), 3)).toThrow(message)
  })
})
