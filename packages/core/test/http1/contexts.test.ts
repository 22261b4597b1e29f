import { connect, type Socket } from 'node:net'
import { settle } from '@fw/testing'
import type { Exchange, SharedChunk } from '@fw/types'
import { expect, it, onTestFinished } from 'vitest'
import { current, mixedUp, serveInContexts, type Seen } from '../serve-in-contexts.ts'

const MIB = 1024 * 1024
function ends(seen: readonly Seen[]): number {
  return seen.filter(({ what }) => what === 'end').length
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return socket
}

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`

it('starts a pipelined request outside the context of an earlier request that was answered late', async () => {
  const { port, seen } = await serveInContexts((exchange) => void setTimeout(() => exchange.respond(200, [], 'x'), 5))
  open(port)
    .resume()
    .write(get('/1') + get('/2') + get('/3'))
  await expect.poll(() => ends(seen)).toBe(3)
  expect(mixedUp(seen)).toEqual([])
})

it('starts and ends each request in its own context when responses are waiting for the client', async () => {
  // One response does not block the socket, but two do.
  const { port, seen } = await serveInContexts((exchange) => exchange.respond(200, [], Buffer.alloc(60_000)))
  const socket = open(port)
  const requests = 200
  socket.write(Array.from({ length: requests }, (_, i) => get(`/${i}`)).join(''))
  await settle(100)
  expect(ends(seen)).toBeLessThan(requests)
  socket.resume()
  await expect.poll(() => ends(seen)).toBe(requests)
  expect(mixedUp(seen)).toEqual([])
})

it('starts a pipelined request outside the context of an earlier one that resumed its body', async () => {
  const { port, seen } = await serveInContexts((exchange) => {
    exchange.body.pause()
    exchange.body.consume({ data: () => {}, end: () => exchange.respond(200, [], 'x'), error: () => {} })
    setTimeout(() => exchange.body.resume(), 100)
  })
  // The body exceeds its buffer, so the rest and the next request wait in the socket.
  const body = 'x'.repeat(100_000)
  const post = `POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  open(port)
    .resume()
    .write(post + get('/2'))
  await expect.poll(() => ends(seen)).toBe(2)
  expect(mixedUp(seen)).toEqual([])
})

it('ends a request outside the context of another request that writes to it', async () => {
  let taker: Exchange | undefined
  const { port, seen } = await serveInContexts((exchange) => {
    if (exchange.target === '/taker') {
      taker = exchange
      exchange.start(200, [])
      return
    }
    const bytes = Buffer.alloc(8 * MIB)
    const chunk: SharedChunk = { bytes, chunked: undefined }
    taker?.writeShared?.(chunk)
    // End the response while it is waiting for its client.
    void current.run('/taker', async () => taker?.end())
    exchange.respond(200, [], 'x')
  })
  const socket = open(port)
  socket.write(get('/taker'))
  await expect.poll(() => taker).toBeDefined()
  open(port).resume().write(get('/giver'))
  await expect.poll(() => ends(seen)).toBe(1)
  socket.resume()
  await expect.poll(() => ends(seen)).toBe(2)
  expect(mixedUp(seen)).toEqual([])
})
