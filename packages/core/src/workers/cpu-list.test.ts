import { expect, it } from 'vitest'
import { parseCpuList } from './pin-cpu.ts'

it.each([
  ['0', [0]],
  ['0-3', [0, 1, 2, 3]],
  ['0,2,4-5', [0, 2, 4, 5]],
  ['\t7-8,10\n', [7, 8, 10]],
  ['', []],
])('parses %j as %j', (text, cpus) => {
  expect(parseCpuList(text)).toEqual(cpus)
})
