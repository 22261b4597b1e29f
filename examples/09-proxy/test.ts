import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'

const upstream = createServer((request, response) => {
  if (request.url === '/slow') {
    upstream.emit('slow', response)
    return
  }
  response.setHeader('set-cookie', ['a=1', 'b=2'])
  response.writeHead(201, { 'x-method': request.method ?? '', 'x-for': request.headers['x-forwarded-for'] ?? '' })
  response.write(`${request.url} `)
  request.pipe(response)
})
await once(upstream.listen(0, '127.0.0.1'), 'listening')
process.env['UPSTREAM'] = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
process.env['PROXIES'] = '127.0.0.1'
const { server } = await import('./main.ts')
const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
after(async () => {
  await server.close()
  upstream.close()
})

test('forwards the request and the response', async () => {
  const response = await fetch(new URL('/path?query=1', url), {
    method: 'POST',
    body: 'body',
    headers: { 'x-forwarded-for': '198.51.100.9, 192.0.2.1' },
  })
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('x-method'), 'POST')
  // Only the trusted proxy's address, the last one, is reliable. The client can forge the others.
  assert.equal(response.headers.get('x-for'), '192.0.2.1')
  assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
  assert.equal(await response.text(), '/path?query=1 body')
})

test('aborts the request to the upstream server when the client disconnects', async () => {
  const abort = new AbortController()
  const response = fetch(new URL('/slow', url), { signal: abort.signal })
  const [upstreamResponse] = await once(upstream, 'slow')
  abort.abort()
  await assert.rejects(response, { name: 'AbortError' })
  await once(upstreamResponse, 'close')
})

test('answers 502 without an upstream server', async () => {
  upstream.close()
  upstream.closeAllConnections()
  assert.equal((await fetch(url)).status, 502)
})
