import { expect, it } from 'vitest'
import type { RequestMessage } from './messages.ts'
import { Selection } from './selection.ts'

const request = (by: string, status = 200, path = '/'): RequestMessage => ({ by, status, path }) as RequestMessage
const taken = (selection: Selection, message: RequestMessage, times: number): number =>
  Array.from({ length: times }, () => selection.takes(message)).filter(Boolean).length

it('selects every visitor request, every failed request, and 20 others per second', () => {
  const selection = new Selection()
  expect(taken(selection, request('ada'), 100)).toBe(100)
  expect(taken(selection, request('demo', 404), 50)).toBe(50)
  expect(taken(selection, request('demo'), 100)).toBe(20)
  selection.refill(0.5)
  expect(taken(selection, request('demo'), 100)).toBe(10)
})

it('selects only the failed requests in races', () => {
  const selection = new Selection()
  expect(taken(selection, request('race'), 10)).toBe(0)
  expect(taken(selection, request('race', 404), 10)).toBe(10)
})

it('selects at most 24,000 bytes per second in total', () => {
  const selection = new Selection()
  const large = request('ada', 500, 'x'.repeat(5900))
  expect(taken(selection, large, 10)).toBe(4)
  for (let n = 0; n < 50; n++) selection.refill(1)
  expect(taken(selection, large, 10)).toBe(4)
})
