// The HTTP/2 engine keeps references to bytes that are waiting for a flow-control window. A later read must not overwrite them,
// whether for the same file and connection or for others. `SLOW_ROUNDS=100` runs longer.
import { writeFileSync } from 'node:fs'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Server } from '@fw/core'
import { tempFolder, testCertificate } from '@fw/testing'
import { expect, it } from 'vitest'
import { staticFiles } from '../src/index.ts'

const ROUNDS = Number(process.env['SLOW_ROUNDS'] ?? 2)
const FILES = 4
const FILE_BYTES = 768 * 1024
/** Stream windows in bytes: less than a frame, about one frame, and more than a slice. */
const WINDOWS = [5000, 20_000, 600_000]
const STREAMS = 6

/** Returns content in which each word encodes its file and position. */
function contentOf(file: number): Buffer {
  return Buffer.from(new Uint32Array(FILE_BYTES / 4).map((_, at) => (file << 24) | at).buffer)
}

/** Reads a file like a client that sometimes pauses or disconnects early. Returns the received bytes. */
async function download(session: ClientHttp2Session, file: number, upTo: number): Promise<Buffer> {
  const stream = session.request({ ':path': `/${file}` })
  const closed = once(stream, 'close')
  const chunks: Buffer[] = []
  let length = 0
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length >= upTo) stream.close()
    else if (chunks.length % 16 === 0) {
      stream.pause()
      setTimeout(() => stream.resume(), 3)
    }
  })
  await closed
  return Buffer.concat(chunks)
}

it.each(['h2', 'h2c'])('overwrites no byte that is waiting for a window (%s)', async (protocol) => {
  await using folder = await tempFolder({})
  const contents = Array.from({ length: FILES }, (_, file) => contentOf(file))
  for (const [file, content] of contents.entries()) writeFileSync(folder.join(String(file)), content)
  const { key, cert } = await testCertificate()
  const isSecure = protocol === 'h2'
  await using server = new Server(isSecure ? { tls: { key, cert } } : {})
  // Every file is streamed.
  staticFiles(server.router(), '/', folder.path, { maxCachedFileBytes: 0 })
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  const authority = `${isSecure ? 'https' : 'http'}://127.0.0.1:${url.port}`

  const faults: string[] = []
  const readAll = async (initialWindowSize: number): Promise<void> => {
    const session = connectHttp2(authority, { rejectUnauthorized: false, settings: { initialWindowSize } })
    await Promise.all(
      Array.from({ length: STREAMS }, async (_, i) => {
        const file = i % FILES
        // Every third client disconnects, so that its buffers can be reused while its last frames are being sent.
        const upTo = i % 3 === 2 ? FILE_BYTES / 3 : FILE_BYTES
        const got = await download(session, file, upTo)
        if (got.byteLength < upTo) faults.push(`${got.byteLength} bytes of file ${file} instead of ${upTo}`)
        else if (!got.equals((contents[file] ?? got).subarray(0, got.byteLength))) faults.push(`bytes of file ${file}`)
      }),
    )
    session.close()
  }
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(WINDOWS.map(readAll))
    await delay(1)
  }
  expect(faults).toEqual([])
})
