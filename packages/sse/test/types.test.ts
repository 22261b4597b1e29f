import type { Context } from '@fw/types'
import { describe, expectTypeOf, it } from 'vitest'
import { sse, SseChannel, type SseStream } from '../src/index.ts'

interface Events {
  tick: number
  user: { name: string }
}

declare const ctx: Context
declare const stream: SseStream<Events>
declare const channel: SseChannel<Events>

/** Compiled and never called. */
function compiles(..._calls: (() => unknown)[]): void {}

describe('SseEvents', () => {
  it('limits the names and values of events', () => {
    compiles(
      () => expectTypeOf(sse<Events>(ctx)).toEqualTypeOf<Promise<SseStream<Events>>>(),
      () => stream.sendJson('tick', 1),
      () => stream.sendJson('tick', 1, (value: number) => String(value)),
      () => stream.event('user', 'raw'),
      () => channel.publish('user', { name: 'Ada' }),
      () => channel.subscribe(stream),
      () => new SseChannel<Events>({ serializers: { user: ({ name }) => name } }),
      // @ts-expect-error -- there is no such event
      () => stream.sendJson('tock', 1),
      // @ts-expect-error -- a tick is a number
      () => stream.sendJson('tick', 'one'),
      // @ts-expect-error -- there is no such event
      () => stream.event('tock', ''),
      // @ts-expect-error -- a user has a name
      () => channel.publish('user', {}),
      // @ts-expect-error -- there is no such event
      () => channel.publish('tock', 1),
      // @ts-expect-error -- there is no such event
      () => new SseChannel<Events>({ serializers: { tock: String } }),
    )
  })

  it('omits the internal members of a stream from its type', () => {
    expectTypeOf<keyof SseStream>().toEqualTypeOf<
      | 'lastEventId'
      | 'signal'
      | 'closed'
      | 'bufferedBytes'
      | 'isOpen'
      | 'event'
      | 'data'
      | 'sendJson'
      | 'comment'
      | 'retry'
      | 'send'
      | 'sendMany'
      | 'from'
      | 'close'
      | typeof Symbol.asyncDispose
    >()
    compiles(
      // @ts-expect-error -- only channels write encoded blocks
      () => stream.write(new Uint8Array(), 1),
      // @ts-expect-error -- only channels listen
      () => stream.listen,
    )
  })

  it('allows any name and value by default', () => {
    compiles(
      () => expectTypeOf(sse(ctx)).toEqualTypeOf<Promise<SseStream>>(),
      async () => (await sse(ctx)).sendJson('any', { x: 1 }, ({ x }) => String(x)),
      () => new SseChannel({ serializers: { n: (value: number) => String(value) } }).publish('any', 1),
    )
  })
})
