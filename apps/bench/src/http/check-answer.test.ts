import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { portOf } from '../server-program.ts'
import { checkAnswer, checkVolume, compareAnswer } from './check-answer.ts'
import { get } from './scenario.ts'

const SHAPE = { connections: 1 }

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server)
}

describe('compareAnswer', () => {
  const right = { status: 200, type: 'text/plain; charset=utf-8', coding: '', body: Buffer.from('hello') }
  const expected = { status: 200, type: 'text/plain', body: 'hello' }

  it('takes what is expected', () => {
    expect(() => compareAnswer(expected, right)).not.toThrow()
  })

  it.each([
    ['status', { status: 201 }],
    ['type', { type: 'text/html' }],
    ['coding', { coding: 'br' }],
    ['content', { body: Buffer.from('hellO') }],
    ['content', { body: Buffer.from('hello ') }],
  ])('refuses another %s: %j', (what, difference) => {
    expect(() => compareAnswer(expected, { ...right, ...difference })).toThrow(what)
  })
})

describe('checkAnswer', () => {
  it('tells the size of the whole answer on the wire', async () => {
    const port = await serve((_request, response) => {
      response.sendDate = false
      response.writeHead(200, ['content-length', '5'])
      response.end('hello')
    })
    const target = { port, isTls: false, request: get('/'), shape: SHAPE, folder: '' }
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n'
    expect(await checkAnswer(target, { status: 200, body: 'hello' })).toBe(head.length + 5)
  })

  it('sends what the scenario says', async () => {
    const port = await serve((request, response) => {
      request.setEncoding('utf8')
      request.on('data', (body: string) =>
        response.end(`${request.method} ${request.url} ${request.headers.via} ${body}`),
      )
    })
    const request = { method: 'PUT', path: '/a?b=c', headers: { via: 'x' }, body: 'text' }
    const target = { port, isTls: false, request, shape: SHAPE, folder: '' }
    await checkAnswer(target, { status: 200, body: 'PUT /a?b=c x text' })
    await expect(checkAnswer(target, { status: 200, body: 'else' })).rejects.toThrow('The content is another one')
  })
})

describe('checkVolume', () => {
  const load = { requests: 10, seconds: 1, p50Ms: 1, p99Ms: 1 }

  it.each([1000, 1200])('takes 10 answers of 100 octets, 2 more begun, in %d octets', (bytes) => {
    expect(() => checkVolume({ ...load, bytes }, 100, { connections: 2 })).not.toThrow()
  })

  it.each([999, 1201])('refuses them in %d octets', (bytes) => {
    const check = (): void => checkVolume({ ...load, bytes }, 100, { connections: 2 })
    expect(check).toThrow(`10 answers came in ${bytes} octets`)
  })
})
