import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '@fw/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveEngines as serve } from '../serve-engines.ts'

const MIB = 1024 * 1024
const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Everything until the server ends or resets the connection. */
async function rest(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (data) => (text += String(data)))
  await once(socket, 'close')
  return text
}

const statuses = (text: string): string[] =>
  Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status = '']) => status)

describe('a client that says it sends no more', () => {
  it('while an answer waits for it gets that one, and those to the requests it sent behind', async () => {
    const { port, outcomes } = await serve((exchange) => exchange.respond(200, [], Buffer.alloc(8 * MIB)))
    const socket = await open(port)
    socket.end(get('/1') + get('/2') + get('/3'))
    await sleep(200)
    expect(outcomes.length).toBeLessThan(3)
    expect(statuses(await rest(socket))).toEqual(['200', '200', '200'])
    expect(outcomes.map(({ aborted }) => aborted)).toEqual([false, false, false])
  })

  it('and has sent half a request behind an answer that waits for it is told of as one that left', async () => {
    const { port, refusals } = await serve((exchange) => exchange.respond(200, [], Buffer.alloc(8 * MIB)))
    const socket = await open(port)
    socket.end(`${get('/1')}GET /2 HT`)
    await sleep(100)
    expect(statuses(await rest(socket))).toEqual(['200'])
    expect(refusals.map(({ status }) => status)).toEqual([499])
  })

  it('is taken to have left where the answer behind takes its time', async () => {
    const targets: string[] = []
    const { port, outcomes } = await serve((exchange) => {
      targets.push(exchange.target)
      if (exchange.target === '/1') exchange.respond(200, [], Buffer.alloc(8 * MIB))
    })
    const socket = await open(port)
    socket.end(get('/1') + get('/2') + get('/3'))
    await sleep(100)
    expect(statuses(await rest(socket))).toEqual(['200'])
    expect(targets).toEqual(['/1', '/2'])
    expect(outcomes.map(({ aborted }) => aborted)).toEqual([false, true])
  })

  it('gets an answer that is still being streamed cut off, so that it can tell', async () => {
    let exchange: Exchange | undefined
    const { port, outcomes } = await serve((begun) => {
      exchange = begun
      begun.start(200, [])
      begun.write(Buffer.from('half'))
    })
    const socket = await open(port)
    socket.end(get('/'))
    const text = await rest(socket)
    expect(text).toMatch(/4\r\nhalf\r\n$/)
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 4, aborted: true }])
    expect(exchange?.isOpen).toBe(false)
  })
})
