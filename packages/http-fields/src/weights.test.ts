import { expect, it } from 'vitest'
import { parseWeights } from './weights.ts'

it.each([
  ['', {}],
  ['gzip', { gzip: 1 }],
  ['gzip, br', { gzip: 1, br: 1 }],
  ['GZIP ; Q=0.5 ,br;q=0', { gzip: 0.5, br: 0 }],
  ['gzip;q=0.000, *;q=1.000', { gzip: 0, '*': 1 }],
  ['text/html;level=1;q=0.7', { 'text/html': 0.7 }],
  ['gzip;q=2, br;q=-1, zstd;q=x, a;q=0.1234, b;q', { gzip: 0, br: 0, zstd: 0, a: 0, b: 0 }],
  ['gzip;q=1=, br;q=0.5=1', { gzip: 0, br: 0 }],
  ['gzip;q=0.2, gzip;q=0.8', { gzip: 0.8 }],
  [';;,,=q=;', { '=q=': 1 }],
])('parses %j as %j', (field, weights) => {
  expect(Object.fromEntries(parseWeights(field))).toEqual(weights)
})
