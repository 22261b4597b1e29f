import { expect, it } from 'vitest'
import { parseResponses, parseMatchers } from './parse-output.ts'

it('returns the rates of responses by candidate', () => {
  const output = `
static: GET /
fw exchange           2,327,173/s  35.24
fw fetch(path)          416,865/s  6.31
`
  expect([...parseResponses(output)]).toEqual([
    ['fw exchange', 2_327_173],
    ['fw fetch(path)', 416_865],
  ])
})

it('returns the rates of matchers by size, kind and candidate', () => {
  const output =
    '    1 static   million/s: fw 36.43 | find-my-way 7.30\n 1000 params   million/s: fw 2.43 | rou3 0.60\n'
  expect([...parseMatchers(output)]).toEqual([
    ['1 static fw', 36.43],
    ['1 static find-my-way', 7.3],
    ['1000 params fw', 2.43],
    ['1000 params rou3', 0.6],
  ])
})
