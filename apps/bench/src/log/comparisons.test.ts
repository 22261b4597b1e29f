import { describe, expect, it } from 'vitest'
import { checkLines } from './comparisons.ts'

function line(n: number): string {
  return `listening on 127.0.0.1:${n}\n`
}

describe('checkLines', () => {
  it('accepts every line once and in order', () => {
    expect(() => checkLines([0, 1, 2].map(line).join(''), 3)).not.toThrow()
  })

  it.each([
    [[0, 1], 'The log has 2 lines, expected 3'],
    [[0, 1, 2, 3], 'The log has 4 lines, expected 3'],
    [[0, 2, 1], 'The log lines are out of order'],
    [[0, 1, 1], 'The log lines are out of order'],
  ])('rejects the lines %j', (numbers, message) => {
    expect(() => checkLines(numbers.map(line).join(''), 3)).toThrow(message)
  })
})
