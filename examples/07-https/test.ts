import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { get } from 'node:https'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { server } from './main.ts'

const ca = readFileSync(new URL('cert.pem', import.meta.url))
const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
after(() => server.close())

test('answers HTTP/1.1, and announces HTTP/3 on the same port', async () => {
  const [response] = await once(get({ host: '127.0.0.1', port, ca, agent: false }), 'response')
  assert.match(response.headers['alt-svc'], new RegExp(`^h3=":${port}"`))
  assert.equal(await text(response), 'hello over HTTP/1.1\n')
})

test('answers HTTP/2', async () => {
  const session = connect(`https://127.0.0.1:${port}`, { ca })
  assert.equal(await text(session.request({ ':path': '/' })), 'hello over HTTP/2.0\n')
  session.close()
})
