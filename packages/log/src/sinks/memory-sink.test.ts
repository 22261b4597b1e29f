import { expect, it } from 'vitest'
import { logRecord as record, sinkContract } from '../testing.ts'
import { MemorySink } from './memory-sink.ts'

sinkContract(
  'MemorySink',
  () => {
    const sink = new MemorySink()
    return { sink, entries: () => sink.messages() }
  },
  it,
)

it('finds text within messages', () => {
  const sink = new MemorySink()
  sink.write(record({ message: 'listening on 80' }))
  expect([sink.contains('on 8'), sink.contains('on 9'), sink.contains('80listening')]).toEqual([true, false, false])
})

it('stores messages without escapes', () => {
  const sink = new MemorySink()
  sink.write(record({ message: 'a\nb' }))
  expect(sink.messages()).toEqual(['a\nb'])
})

it('returns a list that later records do not change, and removes all records on clear()', () => {
  const sink = new MemorySink()
  sink.write(record())
  const before = sink.records()
  sink.write(record())
  expect([before.length, sink.size()]).toEqual([1, 2])
  sink.clear()
  expect([before.length, sink.size(), sink.contains('hello')]).toEqual([1, 0, false])
})

it('rejects unknown options', () => {
  expect(() => new MemorySink({ size: 1 } as object)).toThrow(
    'MemorySink: unknown option "size". Known options: level.',
  )
})
