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

it('keeps bytes until they are wanted, and asks for a pause when there are too many', () => {
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

it('holds bytes and the end back while paused', () => {
  const { body, calls, consume } = setUp()
  consume()
  body.pause()
  body.push(bytes('ab'))
  body.finish()
  expect(calls).toEqual(['wanted'])
  body.resume()
  expect(calls).toEqual(['wanted', 'data ab', 'end '])
})

it('delivers what was received before an error', () => {
  const { body, calls, consume } = setUp()
  body.push(bytes('ab'))
  body.fail(new Error('gone'))
  consume()
  expect(calls).toEqual(['data ab', 'error gone'])
})

it('ends once: nothing follows an end or an error', () => {
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

it('throws bytes away after discard, making room', () => {
  const { body, calls } = setUp()
  body.push(bytes('abcd'))
  body.push(bytes('abcd'))
  body.discard()
  body.push(bytes('efgh'))
  expect(calls).toEqual(['full', 'room'])
})

it('reports the failure of the body to a consumer that comes after discard', () => {
  const { body, calls, consume } = setUp()
  body.push(bytes('ab'))
  body.fail(new Error('gone'))
  body.discard()
  consume()
  expect(calls).toEqual(['error gone'])
})

it('can be read once', () => {
  const { consume } = setUp()
  consume()
  expect(consume).toThrow(TypeError)
})

it('tells whoever still reads when the rest is thrown away', () => {
  const { body, calls, consume } = setUp()
  consume()
  body.push(bytes('ab'))
  body.discard()
  body.finish()
  expect(calls).toEqual(['wanted', 'data ab', 'error The response was complete before the request was read'])
})

it('counts many small slices for more than their bytes', () => {
  const { body, calls } = setUp(1000)
  for (let i = 0; i < 8; i++) body.push(bytes('a'))
  expect(calls).toEqual(['full'])
})

it('does not let a consumer that throws take more than its exchange with it', () => {
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

it('ends once though its consumer pauses and resumes within a slice', () => {
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

it.each([false, true])(
  'tells whoever asks after discard that the body is gone (all of it had arrived: %j)',
  (isOver) => {
    const { body, calls, consume } = setUp()
    body.push(bytes('ab'))
    if (isOver) body.finish()
    body.discard()
    consume()
    body.push(bytes('cd'))
    if (!isOver) body.finish()
    expect(calls).toEqual(['error The response was complete before the request was read'])
  },
)
