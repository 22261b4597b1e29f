import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { portOf } from '../server-program.ts'
import { fetchHttp1 } from './fetch-http1.ts'
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

describe('fetchHttp1', () => {
  it('reports the size of the whole response on the wire', async () => {
    const port = await serve((_request, response) => {
      response.sendDate = false
      response.writeHead(200, ['content-length', '5'])
      response.end('hello')
    })
    const target = { port, isTls: false, request: get('/'), shape: SHAPE, folder: '' }
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n'
    expect(await fetchHttp1(target)).toMatchObject({ status: 200, countedBytes: head.length + 5 })
  })

  it("sends the scenario's request", async () => {
    const port = await serve((request, response) => {
      request.setEncoding('utf8')
      request.on('data', (body: string) => {
        response.write(`${request.method} ${request.url} ${request.headers.via}`)
        response.end(` ${body}`)
      })
    })
    const request = { method: 'PUT', path: '/a?b=c', headers: { via: 'x' }, body: 'text' }
    const target = { port, isTls: false, request, shape: SHAPE, folder: '' }
    const { body, countedBytes } = await fetchHttp1(target)
    expect(body.toString()).toBe('PUT /a?b=c x text')
    // The response is chunked.
    expect(countedBytes).toBeUndefined()
  })
})
