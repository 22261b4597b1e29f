import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Transport, TransportOwner } from '../../src/engine/transport.ts'

/** Both ends of one connection, not opened yet. */
export type Pair = readonly [Transport, Transport]

/** Milliseconds to wait for an event that must not arrive. */
const QUIET_MS = 30
const MAX_WRITTEN_BYTES = 64 * 1024 * 1024

/**
 * Runs the tests that every transport must pass.
 *
 * @param makePair Connects two transports
 * @param hasReset Whether a peer detects an aborted connection; TLS has no reset
 */
export function transportContract(name: string, makePair: () => Promise<Pair>, hasReset: boolean = true): void {
  /** Opens both ends with owners that record their events. */
  async function open(): Promise<{ a: Transport; b: Transport; atA: Recorder; atB: Recorder }> {
    const [a, b] = await connect(makePair)
    const [atA, atB] = [new Recorder(), new Recorder()]
    a.open(atA)
    b.open(atB)
    return { a, b, atA, atB }
  }

  describe(`a transport (${name})`, () => {
    it('delivers bytes and text in order', async () => {
      const { a, atB } = await open()
      const sizes = [1, 0, 70_000, 3, 65_536, 500_000, 2]
      const parts = sizes.map((size, at) => pattern(size, at))
      for (const part of parts) {
        a.write(part)
        a.writeLatin1('\xff-')
      }
      const expected = Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\xff-', 'latin1')]))
      expect((await atB.receive(expected.length)).equals(expected)).toBe(true)
    })

    it('delivers in both directions', async () => {
      const { a, b, atA, atB } = await open()
      a.writeLatin1('to b')
      b.writeLatin1('to a')
      expect(String(await atB.receive(4))).toBe('to b')
      expect(String(await atA.receive(4))).toBe('to a')
    })

    it('does not reuse received bytes without lendReads', async () => {
      const { a, b, atB } = await open()
      for (let at = 0; at < 20; at++) {
        a.write(pattern(1000, at))
        await atB.receive(1000 * (at + 1))
      }
      const expected = Buffer.concat(Array.from({ length: 20 }, (_, at) => pattern(1000, at)))
      expect(Buffer.concat(atB.views).equals(expected)).toBe(true)
      expect(atB.views.some((view) => b.isLent(view))).toBe(false)
    })

    it('overwrites lent bytes at the next read', async () => {
      const { a, b, atB } = await open()
      a.writeLatin1('first')
      await atB.receive(5)
      const lends = b.lendReads()
      expect(lends).toBe(!b.isEncrypted)
      a.writeLatin1('aaaa')
      await atB.receive(9)
      a.writeLatin1('bbbb')
      expect(String(await atB.receive(13))).toBe('firstaaaabbbb')
      const [owned, earlier] = atB.views as [Buffer, Buffer]
      expect([b.isLent(owned), b.isLent(earlier), b.isLent(Buffer.from(earlier))]).toEqual([false, lends, false])
      expect([String(owned), String(earlier)]).toEqual(['first', lends ? 'bbbb' : 'aaaa'])
    })

    it('delivers all bytes in order while it lends memory', async () => {
      const { a, b, atB } = await open()
      a.writeLatin1('x')
      await atB.receive(1)
      b.lendReads()
      const sent = pattern(1_000_000, 7)
      a.write(sent)
      await atB.receive(200_000)
      b.pause()
      await sleep(QUIET_MS)
      b.resume()
      expect((await atB.receive(1_000_001)).subarray(1).equals(sent)).toBe(true)
    })

    it('calls the callbacks of writes in order, without an error', async () => {
      const { a, atB } = await open()
      const taken: unknown[] = []
      for (let at = 0; at < 50; at++) a.write(pattern(10_000, at), (error) => taken.push(error ?? at))
      expect(taken).toEqual([])
      await atB.receive(500_000)
      await expect.poll(() => taken).toEqual(Array.from({ length: 50 }, (_, at) => at))
      expect(a.bufferedBytes).toBe(0)
    })

    it('reports immediately that all bytes were sent if none are waiting', async () => {
      const { a, atB } = await open()
      a.writeLatin1('x')
      await atB.receive(1)
      await expect.poll(() => a.bufferedBytes).toBe(0)
      let isSent = false
      a.whenSent(() => (isSent = true))
      expect(isSent).toBe(true)
    })

    it.each([
      ['open', () => {}],
      ['ended', (a: Transport) => a.end(() => {})],
    ])('reports that all bytes were sent after the peer has read them: %s', async (_, act) => {
      const [a, b] = await connect(makePair)
      const atB = new Recorder()
      a.open(new Recorder())
      const written = await fill(a)
      act(a)
      let waiting: number | undefined
      a.whenSent(() => (waiting = a.bufferedBytes))
      await sleep(QUIET_MS)
      expect(waiting).toBeUndefined()
      b.open(atB)
      expect((await atB.receive(written)).length).toBe(written)
      await expect.poll(() => waiting).toBe(0)
    })

    it('reports nothing to whenSent if the connection closes first', async () => {
      const [a] = await connect(makePair)
      a.open(new Recorder())
      await fill(a)
      let isSent = false
      a.whenSent(() => (isSent = true))
      a.destroy()
      a.whenSent(() => (isSent = true))
      await sleep(QUIET_MS)
      expect(isSent).toBe(false)
    })

    it('is blocked by a peer that is not reading, and reports when it drains', async () => {
      const [a, b] = await connect(makePair)
      const [atA, atB] = [new Recorder(), new Recorder()]
      a.open(atA)
      const written = await fill(a)
      expect(atA.log.filter((event) => event !== 'drain')).toEqual([])
      expect(a.bufferedBytes).toBeGreaterThan(0)
      const drains = atA.log.length
      b.open(atB)
      await atB.receive(written)
      await expect.poll(() => [a.isBlocked, a.bufferedBytes, atA.log.length]).toEqual([false, 0, drains + 1])
    })

    it('joins corked writes until the last uncork', async () => {
      const { a, atB } = await open()
      a.cork()
      a.writeLatin1('one ')
      a.cork()
      a.write(Buffer.from('and '))
      a.uncork()
      a.writeLatin1('two')
      await sleep(QUIET_MS)
      expect([atB.bytes, a.bufferedBytes]).toEqual([0, 11])
      a.uncork()
      await atB.receive(11)
      expect(Buffer.concat(atB.views).toString()).toBe('one and two')
    })

    it('delivers no bytes while it is paused, and all of them after resume', async () => {
      const { a, b, atB } = await open()
      const sent = pattern(1_000_000, 3)
      a.write(sent)
      await atB.receive(100_000)
      b.pause()
      const before = atB.bytes
      await sleep(QUIET_MS)
      expect(atB.bytes).toBe(before)
      b.resume()
      expect(atB.bytes).toBe(before)
      expect((await atB.receive(1_000_000)).equals(sent)).toBe(true)
    })

    it('delivers the end after the bytes that were waiting for resume', async () => {
      const { a, b, atB } = await open()
      b.pause()
      a.writeLatin1('last')
      a.end(() => {})
      await sleep(QUIET_MS)
      expect(atB.log).toEqual([])
      b.resume()
      await expect.poll(() => atB.log).toEqual(['4 bytes', 'end'])
    })

    it('ends one direction and still receives in the other', async () => {
      const { a, b, atA, atB } = await open()
      let isTaken = false
      a.writeLatin1('last')
      a.end(() => (isTaken = true))
      await expect.poll(() => atB.log).toEqual(['4 bytes', 'end'])
      await expect.poll(() => [isTaken, a.isFinished, a.isDestroyed]).toEqual([true, true, false])
      b.writeLatin1('later')
      expect(String(await atA.receive(5))).toBe('later')
      b.end(() => {})
      await expect
        .poll(() => [atA.log, atB.log])
        .toEqual([
          ['5 bytes', 'end', 'close'],
          ['4 bytes', 'end', 'close'],
        ])
    })

    it('closes on abort', async () => {
      const { a, atA, atB } = await open()
      a.writeLatin1('part')
      await atB.receive(4)
      a.abort()
      expect(a.isDestroyed).toBe(true)
      await expect.poll(() => atA.log).toEqual(['close'])
      await expect.poll(() => atB.log.length).toBeGreaterThan(1)
    })

    it(`reports an abort to the peer as ${hasReset ? 'a failure without an end' : 'an end, as TLS has no reset'}`, async () => {
      const { a, atB } = await open()
      a.writeLatin1('part')
      await atB.receive(4)
      a.abort()
      await expect.poll(() => atB.log.slice(0, 2)).toEqual(['4 bytes', hasReset ? 'failure' : 'end'])
    })

    it('closes the connection on abort, like destroy, after the transport has accepted the end', async () => {
      const { a, atA, atB } = await open()
      a.writeLatin1('last')
      a.end(() => {})
      await expect.poll(() => atB.log).toEqual(['4 bytes', 'end'])
      a.abort()
      await expect.poll(() => atA.log).toEqual(['close'])
      expect(atB.log).toEqual(['4 bytes', 'end'])
    })

    it('reports a destroyed connection to the peer as an end', async () => {
      const { a, b, atA, atB } = await open()
      a.writeLatin1('last')
      await atB.receive(4)
      a.destroy()
      await expect.poll(() => atA.log).toEqual(['close'])
      await expect.poll(() => atB.log).toEqual(['4 bytes', 'end'])
      b.destroy()
      await expect.poll(() => atB.log).toEqual(['4 bytes', 'end', 'close'])
    })

    it('delivers only one close after destroy', async () => {
      const { a, b, atB } = await open()
      atB.onFirst = () => b.destroy()
      a.write(pattern(1_000_000, 1))
      a.end(() => {})
      await expect.poll(() => atB.log.slice(1)).toEqual(['close'])
      b.destroy()
      b.abort()
      b.resume()
      await sleep(QUIET_MS)
      expect(atB.log).toEqual([atB.log[0], 'close'])
    })

    it('reports an error for writes that a closed connection cannot accept', async () => {
      const { a, atA } = await open()
      a.destroy()
      const errors: unknown[] = []
      a.write(Buffer.from('x'), (error) => errors.push(error))
      a.end((error) => errors.push(error))
      await expect.poll(() => atA.log).toEqual(['close'])
      await expect.poll(() => errors[0]).toBeInstanceOf(Error)
      expect(errors.every((error) => error instanceof Error)).toBe(true)
      expect([a.isBlocked, a.isFinished]).toEqual([false, false])
    })

    it('delivers unread bytes to the next owner first', async () => {
      const { a, b, atA, atB } = await open()
      const next = new Recorder()
      atB.onFirst = (bytes) => {
        b.unread(bytes)
        b.open(next)
        expect(next.bytes).toBe(0)
      }
      a.writeLatin1('preface')
      await next.receive(7)
      a.writeLatin1(' and more')
      expect(String(await next.receive(16))).toBe('preface and more')
      a.destroy()
      await expect.poll(() => atA.log).toEqual(['close'])
      await expect.poll(() => next.log).toContain('end')
      expect(atB.log).toEqual(['7 bytes'])
    })

    it.each([false, true])(
      'hands over bytes that were not received as a stream, after lendReads: %s',
      async (lends) => {
        const { a, b, atA, atB } = await open()
        a.writeLatin1('request')
        await atB.receive(7)
        if (lends) b.lendReads()
        b.pause()
        a.writeLatin1('un')
        await sleep(QUIET_MS)
        const duplex = b.toDuplex()
        a.writeLatin1('read')
        await sleep(QUIET_MS)
        let text = ''
        duplex.on('data', (chunk: Buffer) => (text += String(chunk)))
        await expect.poll(() => text).toBe('unread')
        duplex.end('back')
        expect(String(await atA.receive(4))).toBe('back')
        a.writeLatin1(', bye')
        a.end(() => {})
        await expect.poll(() => text).toBe('unread, bye')
        await expect.poll(() => atB.log).toEqual(['7 bytes', 'close'])
        expect(duplex.destroyed).toBe(true)
      },
    )

    it("keeps its peer's address after the connection has closed", async () => {
      const { a, b, atA, atB } = await open()
      a.destroy()
      b.destroy()
      await expect.poll(() => [atA.log, atB.log]).toEqual([['close'], ['close']])
      for (const { remoteAddress, remotePort } of [a, b]) {
        expect(remoteAddress).toBe('127.0.0.1')
        expect(remotePort).toBeGreaterThan(0)
      }
    })
  })
}

/** Records the events of a transport: the bytes as copies and as views, and a log. */
class Recorder implements TransportOwner {
  readonly copies: Buffer[] = []
  /** Views of the bytes in the memory that the transport passed. */
  readonly views: Buffer[] = []
  readonly log: string[] = []
  bytes = 0
  /** Called during the first `onBytes`. */
  onFirst: ((bytes: Buffer) => void) | undefined

  onBytes(bytes: Buffer): void {
    const isFirst = this.bytes === 0
    this.copies.push(Buffer.from(bytes))
    this.views.push(bytes)
    this.bytes += bytes.length
    if (this.log.at(-1)?.endsWith('bytes') === true) this.log.pop()
    this.log.push(`${this.bytes} bytes`)
    if (isFirst) this.onFirst?.(bytes)
  }
  onEnd(): void {
    this.log.push('end')
  }
  onDrain(): void {
    this.log.push('drain')
  }
  onClose(hasFailed: boolean): void {
    this.log.push(hasFailed ? 'failure' : 'close')
  }

  /** Waits for this many bytes in total, and returns all bytes so far. */
  async receive(bytes: number): Promise<Buffer> {
    while (this.bytes < bytes) await sleep(1)
    return Buffer.concat(this.copies)
  }
}

async function connect(makePair: () => Promise<Pair>): Promise<Pair> {
  const pair = await makePair()
  onTestFinished(() => {
    for (const end of pair) end.destroy()
  })
  return pair
}

/** Writes until the transport stays blocked. Returns the number of bytes written. */
async function fill(transport: Transport): Promise<number> {
  const part = pattern(256 * 1024, 5)
  let written = 0
  do {
    while (!transport.isBlocked && written < MAX_WRITTEN_BYTES) {
      transport.write(part)
      written += part.length
    }
    await sleep(QUIET_MS)
  } while (!transport.isBlocked && written < MAX_WRITTEN_BYTES)
  expect(transport.isBlocked).toBe(true)
  return written
}

/** Returns bytes without nearby repetition. */
function pattern(bytes: number, seed: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 8) * 7 + seed * 101) & 0xff))
}
