import { describe, expect, it } from 'vitest'
import { fakeContext } from '../../test/fake-context.ts'
import type { SseOptions } from './stream-options.ts'
import { sse } from './sse.ts'

/** Returns the bytes of a string as one character each, like a header value. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1')

describe('the head', () => {
  it('is sent immediately with the fields of an event stream', async () => {
    const { ctx, head, isHeadSent } = fakeContext()
    await sse(ctx)
    expect(isHeadSent()).toBe(true)
    expect(Object.fromEntries(head)).toEqual({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      connection: 'close',
    })
  })

  it.each(['HTTP/2.0', 'HTTP/3.0'])('does not contain Connection on %s', async (protocol) => {
    const { ctx, head } = fakeContext({ protocol })
    await sse(ctx)
    expect(head.has('connection')).toBe(false)
  })

  it('keeps the fields from the handler, except the length', async () => {
    const { ctx, head } = fakeContext({ protocol: 'HTTP/2.0' })
    head
      .set('content-length', '5')
      .set('vary', 'Origin')
      .set('cache-control', 'no-store')
      .set('content-type', 'text/plain')
    await sse(ctx)
    expect(Object.fromEntries(head)).toEqual({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      vary: 'Origin',
    })
  })

  it('is the whole response to HEAD, whose stream is already closed', async () => {
    const { ctx, body } = fakeContext({ method: 'HEAD' })
    const stream = await sse(ctx, { retryMs: 5 })
    expect(stream.isOpen()).toBe(false)
    expect(stream.signal.aborted).toBe(true)
    await stream.data('a')
    expect(body.ending).toBe('complete')
    expect(body.text).toBe('')
  })

  it('is sent only once', async () => {
    const { ctx } = fakeContext()
    await sse(ctx)
    await expect(sse(ctx)).rejects.toThrow('Cannot open an event stream: the response head was already sent')
  })
})

describe('an option', () => {
  it('causes an initial retry block if it is retryMs', async () => {
    const { ctx, body } = fakeContext()
    const stream = await sse(ctx, { retryMs: 0 })
    await stream.data('a')
    expect(body.text).toBe('retry: 0\n\ndata: a\n\n')
  })

  it.each<[unknown, typeof TypeError | typeof RangeError]>([
    [{ heartbeatMs: -1 }, RangeError],
    [{ heartbeatMs: NaN }, RangeError],
    [{ heartbeatMs: 2 ** 31 }, RangeError],
    [{ heartbeatMs: '15' }, TypeError],
    [{ retryMs: 1.5 }, RangeError],
    [{ maxBufferedBytes: -1 }, RangeError],
    [{ slowConsumer: 'explode' }, TypeError],
    [{ lastEventIdParam: 7 }, TypeError],
    [{ heartbeat: 15 }, TypeError],
    [{ stallTimeoutMs: 2 ** 31 }, RangeError],
  ])('rejects %j before it sends the head', async (options, error) => {
    const { ctx, isHeadSent } = fakeContext()
    await expect(sse(ctx, options as SseOptions)).rejects.toThrow(error)
    expect(isHeadSent()).toBe(false)
  })
})

describe('an error about options', () => {
  it.each<[object, string]>([
    [
      { heartbeatMs: -1 },
      'sse: option "heartbeatMs" must be an integer from 0 to 2147483647, got -1. Omit it to use the default.',
    ],
    [
      { slowConsumer: 'explode' },
      'sse: option "slowConsumer" must be "wait", "close" or "drop", got "explode". Omit it to use the default.',
    ],
    [{ stallMs: 1 }, 'sse: unknown option "stallMs". Use stallTimeoutMs instead.'],
  ])('explains the fix for %j', async (options, message) => {
    await expect(sse(fakeContext().ctx, options)).rejects.toThrow(message)
  })
})

describe('lastEventId', () => {
  it.each<[string, { headers?: Record<string, string>; query?: string }, string | undefined, string | null]>([
    ['the field', { headers: { 'last-event-id': '7' } }, undefined, '7'],
    ['the field as UTF-8', { headers: { 'last-event-id': bytes('é-1') } }, undefined, 'é-1'],
    ['the field before the parameter', { headers: { 'last-event-id': 'b' }, query: 'id=a' }, 'id', 'b'],
    ['the named parameter', { query: 'id=a%20b' }, 'id', 'a b'],
    ['the parameter when the field is empty', { headers: { 'last-event-id': '' }, query: 'id=a' }, 'id', 'a'],
    ['null for a parameter by default', { query: 'id=a&lastEventId=b' }, undefined, null],
    ['null for an empty field', { headers: { 'last-event-id': '' } }, undefined, null],
    ['null for an empty parameter', { query: 'id=' }, 'id', null],
    ['null without a field or a parameter', {}, 'id', null],
  ])('is %s', async (_, request, lastEventIdParam, expected) => {
    const { ctx } = fakeContext(request)
    expect((await sse(ctx, { lastEventIdParam })).lastEventId).toBe(expected)
  })
})
