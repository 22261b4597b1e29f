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

it('a pipelined request does not begin in the context of the one before, which was answered late', async () => {
  const { port, seen } = await serveInContexts((exchange) => void setTimeout(() => exchange.respond(200, [], 'x'), 5))
  open(port)
    .resume()
    .write(get('/1') + get('/2') + get('/3'))
  await expect.poll(() => ends(seen)).toBe(3)
  expect(mixedUp(seen)).toEqual([])
})

it('nor in that of one whose response had to wait for the client, and neither ends in that of the other', async () => {
  // Not enough for the socket to ask for a pause; two of them are.
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

it('nor in that of one which went on reading its body when it wanted', async () => {
  const { port, seen } = await serveInContexts((exchange) => {
    exchange.body.pause()
    exchange.body.consume({ data: () => {}, end: () => exchange.respond(200, [], 'x'), error: () => {} })
    setTimeout(() => exchange.body.resume(), 100)
  })
  // More than waits for a reader; the rest, and the request behind it, waits in the socket.
  const body = 'x'.repeat(100_000)
  const post = `POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  open(port)
    .resume()
    .write(post + get('/2'))
  await expect.poll(() => ends(seen)).toBe(2)
  expect(mixedUp(seen)).toEqual([])
})

it('a request that takes what another one sends does not end in the context of that one', async () => {
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
    // Its own end, while it waits for its client.
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
