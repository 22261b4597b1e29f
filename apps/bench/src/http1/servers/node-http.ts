import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const { tls, idleMs } = serverSetup()

const respond: RequestListener = (request, response) => {
  const url = request.url ?? '/'
  if (url === '/') send(response, 'text/plain; charset=utf-8', 'hello world')
  else if (url === '/echo') echo(request, response)
  else send(response, 'application/json', JSON.stringify({ id: url.slice('/users/'.length), name: 'Ada' }))
}

function echo(request: IncomingMessage, response: ServerResponse): void {
  const slices: Buffer[] = []
  request.on('data', (slice: Buffer) => slices.push(slice))
  request.on('end', () => {
    const value: unknown = JSON.parse(Buffer.concat(slices).toString())
    send(response, 'application/json', JSON.stringify(value))
  })
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

const server =
  tls === undefined
    ? createServer(respond)
    : createTlsServer({ key: readFileSync(tls.keyFile), cert: readFileSync(tls.certFile) }, respond)
if (idleMs !== undefined) server.keepAliveTimeout = idleMs
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => ready(portOf(server)))
