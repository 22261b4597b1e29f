import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCertificate } from './certificate.ts'
import { rawExchange } from './raw-exchange.ts'

/** Texts that the server received, one per read. */
let reads: string[] = []
/** Socket of the last TCP connection, below TLS. */
let transport: Socket | undefined

function serve(socket: Socket): void {
  socket.on('error', () => {})
  socket.on('data', (slice) => {
    reads.push(slice.toString('latin1'))
    const text = reads.join('')
    if (text.endsWith('fin')) socket.end('bye')
    else if (text.endsWith('reset')) transport?.resetAndDestroy()
    else if (text.endsWith('echo')) socket.write(text, 'latin1')
  })
  socket.on('end', () => socket.end('after your end'))
}

describe.each([false, true])('rawExchange (TLS: %s)', (tls) => {
  let port = 0
  let server: Server | undefined

  beforeAll(async () => {
    server = tls
      ? createTlsServer({ ...(await testCertificate()), ALPNProtocols: ['http/1.1'], allowHalfOpen: true }, serve)
      : createServer({ allowHalfOpen: true }, serve)
    server.on('connection', (socket: Socket) => (transport = socket))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => void server?.close())

  it('collects all bytes until the server closes', async () => {
    reads = []
    expect(await rawExchange(port, 'fin', { tls })).toMatchObject({ text: 'bye', ended: 'fin' })
  })

  it('sends the bytes unchanged', async () => {
    reads = []
    const { bytes } = await rawExchange(port, '\u00ff\u0000\recho', { tls, timeoutMs: 100 })
    expect(Buffer.from(bytes).toString('latin1')).toBe('\u00ff\u0000\recho')
  })

  it('delivers each slice in a separate read to a server in the same process', async () => {
    reads = []
    await rawExchange(port, ['one', Buffer.from('two'), 'fin'], { tls })
    expect(reads).toEqual(['one', 'two', 'fin'])
  })

  it('returns when the server has sent nothing for timeoutMs', async () => {
    reads = []
    expect(await rawExchange(port, 'echo', { tls, timeoutMs: 100 })).toMatchObject({ text: 'echo', ended: 'open' })
  })

  it('returns as soon as until() returns true', async () => {
    reads = []
    const options = { tls, timeoutMs: 15_000, until: (text: string) => text.includes('ec') }
    expect(await rawExchange(port, 'echo', options)).toMatchObject({ text: 'echo', ended: 'open' })
  })

  it('sends FIN with halfClose', async () => {
    reads = []
    const result = await rawExchange(port, 'x', { tls, halfClose: true })
    expect(result).toMatchObject({ text: 'after your end', ended: 'fin' })
  })

  it('reports a reset', async () => {
    reads = []
    expect(await rawExchange(port, 'reset', { tls })).toMatchObject({ ended: 'reset' })
  })
})
