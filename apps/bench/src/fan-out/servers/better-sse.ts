import { createServer } from 'node:http'
import { createChannel, createSession } from 'better-sse'
import { EVENT_DATA, EVENT_NAME } from '../event-text.ts'
import { portOf, serve } from '../serve.ts'

const channel = createChannel()
const server = createServer((request, response) => {
  // Otherwise its heartbeats, every ten seconds, fall into measurements, its own among them.
  void createSession(request, response, { keepAlive: null }).then((session) => channel.register(session))
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  // Its JSON form is made of the value; it is given the same bytes by way of a parsed one.
  const value: unknown = JSON.parse(EVENT_DATA)
  serve(portOf(server.address()), () => channel.broadcast(value, EVENT_NAME))
})
