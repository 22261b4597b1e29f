import type { FieldList } from '@fw/types'
import { expect, it } from 'vitest'
import { ReceivedBody } from './received-body.ts'

function setUp(maxBufferedBytes = 4 + 2 * 128): { body: ReceivedBody; calls: string[]; consume: () => void } {
  const calls: string[] = []
  const body = new ReceivedBody(undefined, maxBufferedBytes, {
    onWanted: () => calls.push('wanted'),
    onFull: () => calls.push('full'),
    onRoom: () => calls.push('room'),
    onFault: () => calls.push('fault'),
  })
  const consume = (): void =>
    body.consume({
      data: (chunk) => calls.push(`data ${Buffer.from(chunk).toString()}`),
      end: (trailers: FieldList) => calls.push(`end ${trailers.join()}`),
      error: (error) => calls.push(`error ${error.message}`),
    })
  return { body, calls, consume }
}
const bytes = (text: string): Buffer => Buffer.from(text)

it('buffers bytes until a consumer reads them, and calls onFull at the limit', () => {
  const { body, calls, consume } = setUp()
  body.push(bytes('ab'))
  body.push(bytes('cd'))
  body.push(bytes('e'))
  expect(calls).toEqual(['full'])
  consume()
  body.push(bytes('f'))
  body.finish(['a', '1'])
  expect(calls).toEqual(['full', 'wanted', 'data ab', 'data cd', 'data e', 'room', 'data f', 'end a,1'])
})

it('delivers neither bytes nor the end while paused', () => {
  const { body, calls, consume } = setUp()
  consume()
  body.pause()
  body.push(bytes('ab'))
  body.finish()
  expect(calls).toEqual(['wanted'])
  body.resume()
  expect(calls).toEqual(['wanted', 'data ab', 'end '])
})

it('delivers the bytes received before an error', () => {
  const { body, calls, consume } = setUp()
  body.push(bytes('ab'))
  body.fail(new Error('gone'))
  consume()
  expect(calls).toEqual(['data ab', 'error gone'])
})

it('delivers nothing after an end or an error', () => {
  const { body, calls, consume } = setUp()
  consume()
  body.finish()
  body.fail(new Error('late'))
  expect(calls).toEqual(['wanted', 'end '])

  const other = setUp()
  other.consume()
  other.body.fail(new Error('gone'))
  other.body.push(bytes('late'))
  expect(other.calls).toEqual(['wanted', 'error gone'])
})

it('drops buffered and later bytes after discard, and calls onRoom', () => {
  const { body, calls } = setUp()
  body.push(bytes('abcd'))
  body.push(bytes('abcd'))
  body.discard()
  body.push(bytes('efgh'))
  expect(calls).toEqual(['full', 'room'])
})

it('reports an earlier failure to a consumer that starts after discard', () => {
  const { body, calls, consume } = setUp()
  body.push(bytes('ab'))
  body.fail(new Error('gone'))
  body.discard()
  consume()
  expect(calls).toEqual(['error gone'])
})

it('throws when a second consumer starts', () => {
  const { consume } = setUp()
  consume()
  expect(consume).toThrow(TypeError)
})

it('reports an error to the current consumer on discard', () => {
  const { body, calls, consume } = setUp()
  consume()
  body.push(bytes('ab'))
  body.discard()
  body.finish()
  expect(calls).toEqual(['wanted', 'data ab', 'error The response was complete before the request was read'])
})

it('counts an overhead for each small slice', () => {
  const { body, calls } = setUp(1000)
  for (let i = 0; i < 8; i++) body.push(bytes('a'))
  expect(calls).toEqual(['full'])
})

it('emits a warning and calls onFault if a consumer throws', () => {
  const { body, calls } = setUp()
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  body.consume({
    data: () => {
      throw new Error('consumer')
    },
    end: () => calls.push('end'),
    error: () => calls.push('error'),
  })
  body.push(bytes('ab'))
  body.push(bytes('cd'))
  body.finish()
  expect(calls).toEqual(['wanted', 'fault'])
  return expect(warned).resolves.toMatchObject({ message: 'consumer' })
})

it('ends once if its consumer pauses and resumes during a slice', () => {
  const { body, calls } = setUp()
  body.push(bytes('ab'))
  body.finish()
  body.consume({
    data: () => {
      body.pause()
      body.resume()
    },
    end: () => calls.push('end'),
    error: () => calls.push('error'),
  })
  expect(calls).toEqual(['end'])
})

it.each([false, true])('reports an error to a consumer that starts after discard (body complete: %j)', (isComplete) => {
  const { body, calls, consume } = setUp()
  body.push(bytes('ab'))
  if (isComplete) body.finish()
  body.discard()
  consume()
  body.push(bytes('cd'))
  if (!isComplete) body.finish()
  expect(calls).toEqual(['error The response was complete before the request was read'])
})
