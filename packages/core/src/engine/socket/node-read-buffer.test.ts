import { once } from 'node:events'
import { connect, createServer, Socket, type AddressInfo } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readInto } from './node-read-buffer.ts'

/** Connects to a server in this process. Returns both sockets. */
async function pair(): Promise<{ client: Socket; accepted: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
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

const unused = (): true => true
const keep = (): undefined => undefined

describe('readInto', () => {
  it('returns true for an accepted socket on the first call only', async () => {
    const { accepted } = await pair()
    const results = [1, 2].map(() => readInto(accepted, Buffer.alloc(10), unused, keep))
    expect(results).toEqual([true, false])
  })

  it('reads into the buffer, and then into the one that nextBuffer returns', async () => {
    const { client, accepted } = await pair()
    const [first, second] = [Buffer.alloc(4), Buffer.alloc(8)]
    const reads: [text: string, buffer: Buffer][] = []
    const onRead = (count: number, buffer: Buffer): boolean => {
      reads.push([buffer.toString('latin1', 0, count), buffer])
      return true
    }
    readInto(accepted, first, onRead, () => (reads.length === 1 ? second : undefined))
    accepted.resume()
    client.write('one two three')
    await expect.poll(() => reads.map(([text]) => text).join('')).toBe('one two three')
    expect(reads.map(([, buffer]) => buffer === first)).toEqual([true, ...reads.slice(1).map(() => false)])
    expect(reads[1]?.[1]).toBe(second)
  })

  it('returns false for a socket without a handle', () => {
    expect(readInto(new Socket(), Buffer.alloc(10), unused, keep)).toBe(false)
  })

  it('returns false for a stream without the private names, which remains a stream', async () => {
    const stream = Object.assign(new Duplex({ read() {} }), { _handle: { useUserBuffer: unused } })
    expect(readInto(stream as unknown as Socket, Buffer.alloc(10), unused, keep)).toBe(false)
    stream.push('x')
    expect(String((await once(stream, 'data'))[0])).toBe('x')
  })
})
