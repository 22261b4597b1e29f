import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { server } from './main.ts'

const { host, port } = await server.listen({ host: '127.0.0.1', port: 0 })
after(() => server.close())

async function enter(room: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${host}:${port}/rooms/${room}`)
  await once(socket, 'open')
  return socket
}

async function nextMessage(socket: WebSocket): Promise<unknown> {
  const [event] = (await once(socket, 'message')) as [MessageEvent]
  return event.data
}

test('sends a message to every member of the room, and to no other', async () => {
  const [ada, grace, stranger] = [await enter('lobby'), await enter('lobby'), await enter('elsewhere')]
  const received = [ada, grace, stranger].map(nextMessage)
  ada.send('hello')
  assert.deepEqual(await Promise.all(received.slice(0, 2)), ['hello', 'hello'])
  stranger.send('first message here')
  assert.equal(await received[2], 'first message here')
  for (const socket of [ada, grace, stranger]) socket.close()
})

test('refuses pages from other sites, and requests that are not upgrades', async () => {
  assert.equal((await fetch(`http://${host}:${port}/rooms/lobby`)).status, 426)
  const fields = { connection: 'upgrade', upgrade: 'websocket', origin: 'https://example.org' }
  const key = { 'sec-websocket-version': '13', 'sec-websocket-key': randomBytes(16).toString('base64') }
  const headers = { ...fields, ...key }
  const [response] = (await once(get({ host, port, path: '/rooms/lobby', headers }), 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 403)
  response.resume()
})
