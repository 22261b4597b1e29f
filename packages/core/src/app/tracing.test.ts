import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { afterEach, describe, expect, it } from 'vitest'
import { App } from './app.ts'
import type { RequestTrace } from './tracing.ts'

const NAMES = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const
const undo: (() => void)[] = []
afterEach(() => {
  for (const each of undo.splice(0)) each()
})

function record(): { event: string; trace: RequestTrace }[] {
  const events: { event: string; trace: RequestTrace }[] = []
  for (const event of NAMES) {
    const listener = (trace: unknown): void => void events.push({ event, trace: trace as RequestTrace })
    const each = channel(`tracing:fw.request:${event}`)
    each.subscribe(listener)
    undo.push(() => each.unsubscribe(listener))
  }
  return events
}

describe('the tracing channel fw.request', () => {
  it.each([
    ['a synchronous response', () => 'x', 200, ['start', 'asyncStart', 'asyncEnd', 'end']],
    ['an asynchronous response', async () => 'x', 200, ['start', 'end', 'asyncStart', 'asyncEnd']],
    ['a throw', () => Promise.reject(new RangeError('no')), 500, ['start', 'end', 'error', 'asyncStart', 'asyncEnd']],
  ])('publishes the events of %s in order', async (_, handler, status, names) => {
    const events = record()
    const app = new App({ onError: () => {} })
    app.router.get('/a/:id', handler)
    await app.fetch('/a/7')
    expect(events.map(({ event }) => event)).toEqual(names)
    const [first] = events
    // All events share one object, which a listener can use as a key for its own state.
    expect(new Set(events.map((each) => each.trace)).size).toBe(1)
    expect(first?.trace.context.route?.pattern).toBe('/a/:id')
    expect(first?.trace.outcome?.status).toBe(status)
    expect(first?.trace.error).toEqual(status === 500 ? new RangeError('no') : undefined)
  })

  it('publishes a request without a route', async () => {
    const events = record()
    await new App().fetch('/nope')
    expect(events.at(0)?.trace.outcome?.status).toBe(404)
  })

  it('sets a bound store in the handler and after its awaits', async () => {
    const store = new AsyncLocalStorage<string>()
    const { start } = tracingChannel<RequestTrace, string>('fw.request')
    start.bindStore(store, ({ context }) => context.path)
    undo.push(() => start.unbindStore(store))
    const app = new App()
    app.router.get('/a', async () => {
      await Promise.resolve()
      return store.getStore()
    })
    expect(await (await app.fetch('/a')).text()).toBe('/a')
  })
})
