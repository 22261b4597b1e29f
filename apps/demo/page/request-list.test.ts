import { expect, it } from 'vitest'
import type { RequestMessage } from '../src/live/messages.ts'
import { RequestList } from './request-list.ts'

const request = (id: string, changes: Partial<RequestMessage> = {}): RequestMessage =>
  ({ id, protocol: 'h2', method: 'GET', path: `/${id}`, status: 200, by: 'demo', ...changes }) as RequestMessage
const ids = (requests: readonly RequestMessage[]): string[] => requests.map(({ id }) => id)

it('shows the newest request first, and each request only once', () => {
  const list = new RequestList()
  expect(list.isEmpty).toBe(true)
  expect(ids(list.add([request('a'), request('b')]))).toEqual(['a', 'b'])
  expect(ids(list.add([request('b'), request('c')]))).toEqual(['c'])
  expect(ids(list.shown)).toEqual(['c', 'b', 'a'])
})

it('keeps 200 requests', () => {
  const list = new RequestList()
  list.add(Array.from({ length: 250 }, (_, n) => request(String(n))))
  expect(list.shown).toHaveLength(200)
  expect(list.find('0')).toBeUndefined()
  expect(list.find('249')).toBeDefined()
})

it('filters by sender, by failure and by every word', () => {
  const list = new RequestList()
  list.visitor = 'ada'
  list.add([request('a', { by: 'ada' }), request('b', { status: 404 }), request('c', { protocol: 'h3' })])
  list.only = 'mine'
  expect(ids(list.shown)).toEqual(['a'])
  list.only = 'failed'
  expect(ids(list.shown)).toEqual(['b'])
  list.only = 'all'
  list.query = 'H3 get'
  expect(ids(list.shown)).toEqual(['c'])
  list.query = 'nothing'
  expect(list.shown).toEqual([])
})

it('moves to neighbors and stops at the ends', () => {
  const list = new RequestList()
  list.add([request('a'), request('b'), request('c')])
  expect([list.neighbor(undefined, 1)?.id, list.neighbor('c', 1)?.id, list.neighbor('a', 1)?.id]).toEqual([
    'c',
    'b',
    'a',
  ])
  expect([list.neighbor('b', -Infinity)?.id, list.neighbor('gone', -1)?.id]).toEqual(['c', 'c'])
})
