import { AsyncLocalStorage } from 'node:async_hooks'
import type { Exchange } from '@fw/types'
import { expect, it } from 'vitest'
import { serveEngines } from '../serve-engines.ts'
import { Setting, windowUpdate } from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'

const MIB = 1024 * 1024
const current = new AsyncLocalStorage<string>()

interface Seen {
  readonly what: string
  readonly target: string
  readonly context: string | undefined
}

/** Serves each request in a context of its own, and notes in which contexts it begins and ends. */
async function serve(answer: (exchange: Exchange) => void): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = []
  const { port } = await serveEngines((exchange) => {
    const { target, onClose } = exchange
    seen.push({ what: 'begin', target, context: current.getStore() })
    exchange.onClose = (outcome) => {
      seen.push({ what: 'end', target, context: current.getStore() })
      onClose?.(outcome)
    }
    current.run(target, answer, exchange)
  })
  return { port, seen }
}

/** Those that began within another request, or ended within one that is not theirs. */
function mixedUp(seen: readonly Seen[]): Seen[] {
  return seen.filter(({ what, target, context }) => context !== undefined && (what === 'begin' || context !== target))
}

it('requests that wait for the socket begin and end in no context of another', async () => {
  // The first few are more than the buffers of the system hold.
  const { port, seen } = await serve((exchange) => {
    exchange.respond(200, [], Buffer.alloc(exchange.target.length === 2 ? 4 * MIB : MIB))
  })
  const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]] })
  client.socket.pause()
  client.send(windowUpdate(0, 2 ** 30), ...[1, 3, 5, 7].map((id) => headers(id, request('GET', `/${id}`))))
  await expect.poll(() => seen.filter(({ what }) => what === 'begin').length).toBe(4)
  client.socket.resume()
  // Some of them while the socket is blocked, some while it is not.
  for (let id = 9; id < 60; id += 2) client.send(headers(id, request('GET', `/${id}`)))
  await expect.poll(() => seen.filter(({ what }) => what === 'end').length).toBe(30)
  expect(mixedUp(seen)).toEqual([])
})

it('an answer that makes room for others does not end them in its own context', async () => {
  const waiting: Exchange[] = []
  const { port, seen } = await serve((exchange) => {
    if (exchange.target !== '/last') {
      waiting.push(exchange)
      return
    }
    for (const other of waiting) other.respond(200, [], Buffer.alloc(20_000))
    exchange.respond(200, [], Buffer.alloc(20_000))
  })
  const client = await RawClient.connect(port, { settings: [[Setting.INITIAL_WINDOW_SIZE, 2 ** 20]] })
  client.send(windowUpdate(0, 2 ** 20), headers(1, request('GET', '/first')), headers(3, request('GET', '/last')))
  await expect.poll(() => client.hasEnded(1) && client.hasEnded(3)).toBe(true)
  expect(mixedUp(seen)).toEqual([])
})
