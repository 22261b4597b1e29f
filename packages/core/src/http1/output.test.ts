import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Deadlines } from '../engine/event-loop/deadlines.ts'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import { SocketTransport } from '../engine/socket/socket-transport.ts'
import { Http1Output } from './output.ts'

/** Returns the output of a simulated connection. `take` completes one pending write, if any. */
function connection(writeStallTimeoutMs = 0): { output: Http1Output; writes: string[]; take: () => boolean } {
  const writes: string[] = []
  let taken: (() => void) | undefined
  const receive = (write: string, done: () => void): void => {
    writes.push(write)
    taken = done
  }
  const socket = new Socket()
  socket._write = (chunk: Buffer | string, encoding, done) => receive(text(chunk, encoding), done)
  socket._writev = (chunks, done) =>
    receive(chunks.map(({ chunk, encoding }) => text(chunk as Buffer | string, encoding)).join(''), done)
  const owner = { onWriteTurn: () => output.onDrain(), destroy: () => {}, onBufferRoom: () => {} }
  const output: Http1Output = new Http1Output(
    new SocketTransport(socket, false),
    new Deadlines(),
    { ...DEFAULT_LIMITS, writeStallTimeoutMs },
    owner,
  )
  socket.on('drain', () => output.onDrain())
  const take = (): boolean => {
    const done = taken
    taken = undefined
    done?.()
    return done !== undefined
  }
  return { output, writes, take }
}

function text(chunk: Buffer | string, encoding: BufferEncoding): string {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding).toString('latin1') : chunk.toString('latin1')
}

describe('Http1Output', () => {
  it('sends the responses from one turn in one write', async () => {
    const { output, writes } = connection()
    output.writeResponse('a')
    output.writeResponse('\xff')
    output.writeResponse('c')
    expect(writes).toEqual([])
    expect(output.bufferedBytes).toBe(3)
    await turn()
    expect(writes).toEqual(['a\xffc'])
  })

  it('sends waiting responses once they exceed 16,384 characters', () => {
    const { output, writes } = connection()
    output.writeResponse('a'.repeat(16 * 1024))
    expect(writes).toHaveLength(0)
    output.writeResponse('b')
    expect(writes).toEqual(['a'.repeat(16 * 1024)])
  })

  it('reports that it is blocked when the socket is full', async () => {
    const { output, writes, take } = connection()
    output.writeResponse('The first write is still pending.')
    await turn()
    output.writeResponse('x'.repeat(200_000))
    expect(output.isBlocked).toBe(true)
    do await turn()
    while (take())
    expect(output.isBlocked).toBe(false)
    expect(writes.join('')).toHaveLength(33 + 200_000)
  })

  it("stops limiting the peer's time after giveUp", async () => {
    const { output, take } = connection(1000)
    output.writeResponse('The first write is still pending.')
    await turn()
    output.writeResponse('x'.repeat(200_000))
    expect(output.deadlineMs).toBeLessThan(Infinity)
    output.giveUp()
    for (let i = 0; i < 2; i++) {
      take()
      await turn()
    }
    expect(output.isBlocked).toBe(true)
    expect(output.deadlineMs).toBe(Infinity)
  })

  it('writes text and bytes in order', async () => {
    const step = fc.oneof(
      fc.tuple(
        fc.constantFrom('answer', 'text', 'bytes', 'corked' as const),
        fc.oneof(fc.nat({ max: 20_000 }), fc.nat({ max: 200_000 })),
      ),
      fc.tuple(fc.constantFrom('turn', 'take', 'release' as const), fc.constant(0)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { output, writes, take } = connection()
        let expected = ''
        for (const [i, [kind, size]] of steps.entries()) {
          const part = String.fromCharCode(0x41 + i).repeat(size)
          expected += part
          if (kind === 'answer') output.writeResponse(part)
          else if (kind === 'text') output.writeText(part)
          else if (kind === 'bytes') output.writeBytes(Buffer.from(part, 'latin1'))
          else if (kind === 'corked') {
            output.cork()
            output.writeText(part)
            output.uncork()
          } else if (kind === 'release') output.release()
          else if (kind === 'take') take()
          else await turn()
        }
        do await turn()
        while (take())
        expect(writes.join('')).toBe(expected)
        expect(output.bufferedBytes).toBe(0)
      }),
      { numRuns: 200 },
    )
  })

  it('keeps only the bytes of unread responses in memory, not their strings', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const connections = Array.from({ length: 100 }, () => connection())
    for (const { output } of connections) output.writeResponse('The first write never completes.')
    await turn()
    collect()
    const before = process.memoryUsage().heapUsed
    for (const { output } of connections) {
      let response = ''
      // Concatenate many parts, like a real head.
      for (let i = 0; i < 500; i++) response += `field-${i}: value\r\n`
      output.writeResponse(response)
    }
    await turn()
    collect()
    const grown = process.memoryUsage().heapUsed - before
    expect(connections[0]?.output.bufferedBytes).toBeGreaterThan(8000)
    // The bytes are outside the heap. A concatenated string would use 40,000 bytes of heap.
    expect(grown / connections.length).toBeLessThan(8000)
  })
})
