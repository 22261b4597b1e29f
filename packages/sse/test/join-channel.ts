import { afterEach } from 'vitest'
import { sse, type SseChannel, type SseStream } from '../src/index.ts'
import { fakeContext, type FakeBody, type FakeRequest } from './fake-context.ts'

const bodies: FakeBody[] = []

afterEach(() => {
  for (const body of bodies.splice(0)) body.disconnect()
})

/** Opens a stream without heartbeats, and returns the received text. */
export async function open(request?: FakeRequest): Promise<{ stream: SseStream; body: FakeBody }> {
  const { ctx, body } = fakeContext(request)
  bodies.push(body)
  return { stream: await sse(ctx, { heartbeatMs: 0 }), body }
}

/** Opens a stream and subscribes it to a channel. */
export async function join(
  channel: SseChannel,
  lastEventId?: string,
  options?: Parameters<SseChannel['subscribe']>[1],
): Promise<{ stream: SseStream; body: FakeBody }> {
  const opened = await open(lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } })
  channel.subscribe(opened.stream, options)
  return opened
}

/** Resolves at the end of this event-loop turn. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Publishes numbers, each in its own turn. */
export async function publish(
  channel: SseChannel,
  numbers: readonly number[],
  key?: (n: number) => string,
): Promise<void> {
  for (const n of numbers) {
    const text = String(n).padStart(2, '0')
    channel.publish('a', text, { id: text, key: key?.(n) })
    await turn()
  }
}

/** Returns the data of the received events. */
export const dataOf = (body: FakeBody): string =>
  [...body.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join(' ')
