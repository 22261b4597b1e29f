/** Uses the stream API of node:http2 instead of its HTTP/1.1 compatibility API. */
import { readFileSync } from 'node:fs'
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const { tls } = serverSetup()
const server =
  tls === undefined
    ? createServer()
    : (createSecureServer({
        key: readFileSync(tls.keyFile),
        cert: readFileSync(tls.certFile),
      }) as unknown as Http2Server)

server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders & { readonly ':path'?: string }) => {
  const path = headers[':path'] ?? '/'
  if (path === '/') send(stream, 'text/plain; charset=utf-8', 'hello world')
  else if (path === '/echo') echo(stream)
  else send(stream, 'application/json', JSON.stringify({ id: path.slice('/users/'.length), name: 'Ada' }))
})

function echo(stream: ServerHttp2Stream): void {
  const slices: Buffer[] = []
  stream.on('data', (slice: Buffer) => slices.push(slice))
  stream.on('end', () => {
    const value: unknown = JSON.parse(Buffer.concat(slices).toString())
    send(stream, 'application/json', JSON.stringify(value))
  })
}

function send(stream: ServerHttp2Stream, type: string, body: string): void {
  stream.respond({ ':status': 200, 'content-type': type, 'content-length': Buffer.byteLength(body) })
  stream.end(body)
}

server.listen(0, '127.0.0.1', () => ready(portOf(server)))
