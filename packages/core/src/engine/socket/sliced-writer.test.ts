import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { SlicedWriter } from './sliced-writer.ts'
import { SocketTransport } from './socket-transport.ts'

const MIB = 1024 * 1024

/** Returns a stream that accepts all bytes immediately, like a kernel with large buffers. */
function greedyStream(): { readonly stream: Writable; readonly taken: Buffer[] } {
  const taken: Buffer[] = []
  const stream = new Writable({
    highWaterMark: 64 * MIB,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk)
      done()
    },
  })
  return { stream, taken }
}

/** Makes the protected methods public. */
class OpenWriter extends SlicedWriter {
  constructor(stream: Writable) {
    super(new SocketTransport(stream as unknown as Socket, false), { onWriteTurn: () => this.pump() })
  }

  override write(bytes: Uint8Array): boolean {
    return super.write(bytes)
  }

  override writeLatin1(text: string): void {
    super.writeLatin1(text)
  }

  override clear(): void {
    super.clear()
  }
}

describe('SlicedWriter', () => {
  it('writes at most 1 MiB per turn, even if the stream accepts more', async () => {
    const { stream, taken } = greedyStream()
    const writer = new OpenWriter(stream)
    const body = Buffer.from(Array.from({ length: 8 * MIB }, (_, i) => i % 251))
    expect(writer.write(body)).toBe(false)
    const bytes = (): number => taken.reduce((sum, chunk) => sum + chunk.length, 0)
    const afterEachTurn = [bytes()]
    while (writer.isBlocked) {
      await turn()
      afterEachTurn.push(bytes())
    }
    const perTurn = afterEachTurn.map((sum, i) => sum - (afterEachTurn[i - 1] ?? 0))
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(MIB)
    expect(Buffer.concat(taken).equals(body)).toBe(true)
  })

  it('keeps the order of writes while it waits for its turn', async () => {
    const { stream, taken } = greedyStream()
    const writer = new OpenWriter(stream)
    writer.write(Buffer.alloc(8 * MIB, 'a'))
    writer.write(Buffer.from('b'))
    writer.writeLatin1('c')
    expect(writer.bufferedBytes).toBeGreaterThan(0)
    while (writer.isBlocked) await turn()
    expect(Buffer.concat(taken).toString().slice(-4)).toBe('aabc')
    expect(writer.bufferedBytes).toBe(0)
  })

  it('discards queued bytes on clear', async () => {
    const { stream, taken } = greedyStream()
    const writer = new OpenWriter(stream)
    writer.write(Buffer.alloc(8 * MIB))
    writer.clear()
    await turn()
    expect(writer.bufferedBytes).toBe(0)
    expect(taken.length).toBeLessThanOrEqual(9)
  })
})
