import { once } from 'node:events'
import { connect, createServer, Socket, type AddressInfo } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isShared, receiveAsStream, receiveShared, RECEIVE_BUFFER_BYTES } from './receive-buffer.ts'

/** Connects to a server in this process. Returns both sockets. */
async function pair(): Promise<{ client: Socket; accepted: Socket }> {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    client.destroy()
    accepted.destroy()
    server.close()
  })
  return { client, accepted }
}

interface Received {
  /** Copies of all bytes, in order. */
  readonly all: Buffer[]
  readonly shared: Buffer[]
  readonly streamed: Buffer[]
}

/** Makes the socket read into the shared buffer, and collects the bytes from the buffer and from the stream. */
function receive(socket: Socket): Received {
  const received: Received = { all: [], shared: [], streamed: [] }
  const isSet = receiveShared(socket, (bytes) => {
    received.all.push(Buffer.from(bytes))
    received.shared.push(bytes)
  })
  expect(isSet).toBe(true)
  socket.on('data', (chunk: Buffer) => {
    received.all.push(chunk)
    received.streamed.push(chunk)
  })
  return received
}

const bytesOf = (chunks: readonly Buffer[]): number => chunks.reduce((sum, { length }) => sum + length, 0)

async function whole(chunks: readonly Buffer[], bytes: number): Promise<Buffer> {
  while (bytesOf(chunks) < bytes) await nextTurn()
  return Buffer.concat(chunks)
}

/** Returns bytes that do not repeat within short distances. */
function pattern(bytes: number, seed: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 8) * 7 + seed * 101) & 0xff))
}

describe('receiveShared', () => {
  it('returns true for an accepted socket on the first call only', async () => {
    const { accepted } = await pair()
    expect(receiveShared(accepted, () => {})).toBe(true)
    expect(receiveShared(accepted, () => {})).toBe(false)
  })

  it('returns false for a socket without a handle', () => {
    expect(receiveShared(new Socket(), () => {})).toBe(false)
  })

  it('delivers all bytes from several connections in a single shared buffer', async () => {
    const pairs = await Promise.all(Array.from({ length: 8 }, pair))
    const received = pairs.map(({ accepted }) => receive(accepted))
    const sent = pairs.map((_, at) => pattern(600_000, at))
    const sizes = [1, 100, 2048, 65_536, RECEIVE_BUFFER_BYTES - 1, RECEIVE_BUFFER_BYTES, RECEIVE_BUFFER_BYTES + 1]
    for (let at = 0, turn = 0; at < 600_000; turn++) {
      const size = sizes[turn % sizes.length] ?? 1
      for (const [n, { client }] of pairs.entries()) client.write((sent[n] as Buffer).subarray(at, at + size))
      at += size
      await nextTurn()
    }
    for (const [n, { all }] of received.entries()) {
      expect((await whole(all, 600_000)).equals(sent[n] as Buffer)).toBe(true)
    }
    const memories = received.flatMap(({ shared }) => shared.map(({ buffer }) => buffer))
    expect(memories.length).toBeGreaterThan(0)
    expect(new Set(memories).size).toBe(1)
    expect(received.flatMap(({ streamed }) => streamed)).toEqual([])
  })

  it('marks the shared buffer so that isShared recognizes it and no handler can transfer it', async () => {
    const { client, accepted } = await pair()
    const { shared } = receive(accepted)
    client.write('x')
    await whole(shared, 1)
    const [bytes] = shared as [Buffer<ArrayBuffer>]
    expect([isShared(bytes), isShared(Buffer.from(bytes))]).toEqual([true, false])
    expect(() => structuredClone(bytes.buffer, { transfer: [bytes.buffer] })).toThrow('transfer')
  })

  it('keeps all bytes that arrive while the stream is paused, and stops reading soon', async () => {
    const { client, accepted } = await pair()
    const { all, streamed } = receive(accepted)
    const sent = pattern(3_000_000, 3)
    client.write(sent.subarray(0, 10))
    await whole(all, 10)
    accepted.pause()
    client.write(sent.subarray(10))
    await sleep(50)
    expect(bytesOf(all)).toBe(10)
    expect(accepted.readableLength).toBeLessThanOrEqual(2 * RECEIVE_BUFFER_BYTES)
    accepted.resume()
    expect((await whole(all, sent.length)).equals(sent)).toBe(true)
    expect(streamed.every((chunk) => !isShared(chunk))).toBe(true)
  })

  it('buffers at most one read for an owner that reads in small pieces', async () => {
    const { client, accepted } = await pair()
    const { all } = receive(accepted)
    const sent = pattern(4_000_000, 5)
    client.write(sent.subarray(0, 10))
    await whole(all, 10)
    receiveAsStream(accepted)
    accepted.removeAllListeners('data')
    accepted.readableFlowing = null
    client.write(sent.subarray(10))
    let most = 0
    for (let n = 0; n < 40; n++) {
      await sleep(1)
      accepted.read(100)
      accepted.pause()
      accepted.resume()
      accepted.pause()
      most = Math.max(most, accepted.readableLength)
    }
    expect(most).toBeLessThanOrEqual(RECEIVE_BUFFER_BYTES + accepted.readableHighWaterMark)
  })

  it('emits the end of the stream, and an error after a reset', async () => {
    const ended = await pair()
    const { all } = receive(ended.accepted)
    ended.client.end('last')
    await once(ended.accepted, 'end')
    expect(String(Buffer.concat(all))).toBe('last')

    const reset = await pair()
    receive(reset.accepted)
    const failed = once(reset.accepted, 'error')
    await nextTurn()
    reset.client.resetAndDestroy()
    expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' })
  })
})

/** Returns a socket that `receiveShared` has read, without its listeners. */
async function used(): Promise<{ client: Socket; accepted: Socket }> {
  const { client, accepted } = await pair()
  const { all } = receive(accepted)
  client.write('before')
  await whole(all, 6)
  accepted.removeAllListeners('data')
  accepted.readableFlowing = null
  receiveAsStream(accepted)
  return { client, accepted }
}

describe('a socket after receiveAsStream', () => {
  it('keeps bytes for its next listener, with each chunk in its own memory', async () => {
    const { client, accepted } = await used()
    client.write('behind')
    while (accepted.readableLength === 0) await nextTurn()
    const chunks: Buffer[] = []
    accepted.on('data', (chunk: Buffer) => chunks.push(chunk))
    await whole(chunks, 6)
    client.write(', and more')
    expect(String(await whole(chunks, 16))).toBe('behind, and more')
    expect(chunks.map(({ length, buffer }) => buffer.byteLength === length)).toEqual(chunks.map(() => true))
  })

  it('emits readable and returns its bytes from read()', async () => {
    const { client, accepted } = await used()
    let text = ''
    accepted.on('readable', () => {
      for (let chunk; (chunk = accepted.read() as Buffer | null) !== null;) text += String(chunk)
    })
    client.write('behind')
    await expect.poll(() => text).toBe('behind')
    client.write(', and more')
    await expect.poll(() => text).toBe('behind, and more')
  })

  it('supports iteration as text', async () => {
    const { client, accepted } = await used()
    accepted.setEncoding('utf8')
    client.end('é')
    let text = ''
    for await (const part of accepted) text += String(part)
    expect(text).toBe('é')
  })

  it('reports a reset while it is paused', async () => {
    const { client, accepted } = await used()
    accepted.on('data', () => {})
    accepted.pause()
    const failed = once(accepted, 'error')
    await nextTurn()
    client.resetAndDestroy()
    expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' })
  })

  it('emits data if receiveShared was never called', async () => {
    const { client, accepted } = await pair()
    receiveAsStream(accepted)
    client.write('x')
    expect(String((await once(accepted, 'data'))[0])).toBe('x')
  })
})
