import { createServer } from 'node:http'
import { createChannel, createSession } from 'better-sse'
import { EVENT_DATA, EVENT_NAME } from '../event-text.ts'
import { portOf, serve } from '../serve.ts'

const channel = createChannel()
const server = createServer((request, response) => {
  // Disable heartbeats, which would disturb the measurements every ten seconds.
  void createSession(request, response, { keepAlive: null }).then((session) => channel.register(session))
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  // better-sse serializes the value, so parse the text to send the same bytes.
  const value: unknown = JSON.parse(EVENT_DATA)
  serve(portOf(server.address()), () => channel.broadcast(value, EVENT_NAME))
})
