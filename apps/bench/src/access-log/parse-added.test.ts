import { expect, it } from 'vitest'
import { parseAdded } from './parse-added.ts'

it('returns the added microseconds by name', () => {
  const output = `
fw                           1431 ns, +0
fw combined                  2827 ns, +1396
fw level off                 1427 ns, -4
`
  expect([...parseAdded(output)]).toEqual([
    ['fw', 0],
    ['fw combined', 1.396],
    ['fw level off', -0.004],
  ])
})
