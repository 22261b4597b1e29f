import { afterEach } from 'vitest'
import { sse, type SseChannel, type SseStream } from '../src/index.ts'
import { fakeContext, type FakeBody, type FakeRequest } from './fake-context.ts'

const bodies: FakeBody[] = []

afterEach(() => {
  for (const body of bodies.splice(0)) body.disconnect()
})

/** A stream without heartbeats, and what its client gets. */
export async function open(request?: FakeRequest): Promise<{ stream: SseStream; body: FakeBody }> {
  const { ctx, body } = fakeContext(request)
  bodies.push(body)
  return { stream: await sse(ctx, { heartbeatMs: 0 }), body }
}

/** As `open`, on a channel. */
export async function join(
  channel: SseChannel,
  lastEventId?: string,
  options?: Parameters<SseChannel['subscribe']>[1],
): Promise<{ stream: SseStream; body: FakeBody }> {
  const opened = await open(lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } })
  channel.subscribe(opened.stream, options)
  return opened
}

/** The end of this turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Publishes numbers, each in a turn of its own. */
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

/** The data of what a client got. */
export const dataOf = (body: FakeBody): string =>
  [...body.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join(' ')
