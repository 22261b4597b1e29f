import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCertificate } from './certificate.ts'
import { rawExchange } from './raw-exchange.ts'

/** What the server received, one entry for each read. */
let reads: string[] = []
/** The last TCP connection, below TLS if there is any. */
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

  it('collects everything until the server closes', async () => {
    reads = []
    expect(await rawExchange(port, 'fin', { tls })).toMatchObject({ text: 'bye', ended: 'fin' })
  })

  it('sends bytes as they are', async () => {
    reads = []
    const { bytes } = await rawExchange(port, '\u00ff\u0000\recho', { tls, timeoutMs: 100 })
    expect(Buffer.from(bytes).toString('latin1')).toBe('\u00ff\u0000\recho')
  })

  it('lets a server in the same process see the slices apart', async () => {
    reads = []
    await rawExchange(port, ['one', Buffer.from('two'), 'fin'], { tls })
    expect(reads).toEqual(['one', 'two', 'fin'])
  })

  it('ends when the server has been silent for long enough', async () => {
    reads = []
    expect(await rawExchange(port, 'echo', { tls, timeoutMs: 100 })).toMatchObject({ text: 'echo', ended: 'open' })
  })

  it('ends as soon as the text fulfils the condition', async () => {
    reads = []
    const options = { tls, timeoutMs: 15_000, until: (text: string) => text.includes('ec') }
    expect(await rawExchange(port, 'echo', options)).toMatchObject({ text: 'echo', ended: 'open' })
  })

  it('can close its own half', async () => {
    reads = []
    const result = await rawExchange(port, 'x', { tls, halfClose: true })
    expect(result).toMatchObject({ text: 'after your end', ended: 'fin' })
  })

  it('tells a reset from an orderly end', async () => {
    reads = []
    expect(await rawExchange(port, 'reset', { tls })).toMatchObject({ ended: 'reset' })
  })
})
