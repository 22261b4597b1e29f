import { readFileSync } from 'node:fs'
import { createSecureServer, type ServerHttp3Stream, type StreamListener } from '@currentspace/http3'
import { filesOf, ready, serverSetup } from '../../server-program.ts'

/** Maximum size of a write. Version 0.9.0 accepts larger ones, but they can hang. */
const WRITE_BYTES = 64 * 1024

const setup = serverSetup()
const { tls } = setup
if (tls === undefined) throw new Error('HTTP/3 needs a certificate')
const files = filesOf(setup)

const credentials = { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certFile) }

/** Retries, because the server binds a free UDP port and then the same TCP port, which can be in use. */
function listen(triesLeft: number): void {
  const server = createSecureServer(credentials)
  server.on('stream', onStream)
  server.on('session', (session) => session.on('error', () => {}))
  server.on('listening', () => ready(server.address()?.port ?? 0))
  server.on('error', (error) => {
    if (triesLeft === 0) throw error
    listen(triesLeft - 1)
  })
  server.listen(0, '127.0.0.1')
}

const onStream: StreamListener = (stream, headers) => {
  stream.on('error', () => {})
  const file = files.get(String(headers[':path']).slice(1))
  if (file === undefined) {
    stream.respondWithBody({ ':status': '200', 'content-type': 'text/plain; charset=utf-8' }, 'hello world')
  } else {
    void sendFile(stream, file)
  }
}

async function sendFile(stream: ServerHttp3Stream, file: Buffer): Promise<void> {
  stream.respond({ ':status': '200', 'content-type': 'application/octet-stream' })
  for (let at = 0; at < file.byteLength; at += WRITE_BYTES) {
    if (!stream.write(file.subarray(at, at + WRITE_BYTES)))
      await new Promise((resolve) => stream.once('drain', resolve))
  }
  stream.end()
}

listen(5)
