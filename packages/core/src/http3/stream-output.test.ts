import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StreamOutput } from './stream-output.ts'

/** Transport that accepts as many bytes as it has room for. */
class Transport {
  room = Infinity
  taken = Buffer.alloc(0)
  hasEnd = false
  readonly sizes: number[] = []
  readonly send = (chunk: Uint8Array, isEnd: boolean): number => {
    const size = Math.min(this.room, chunk.byteLength)
    this.sizes.push(chunk.byteLength)
    this.room -= size
    this.taken = Buffer.concat([this.taken, chunk.subarray(0, size)])
    if (isEnd && size === chunk.byteLength) this.hasEnd = true
    return size
  }
}

describe('StreamOutput', () => {
  it('sends the end with the last bytes', () => {
    const transport = new Transport()
    const output = new StreamOutput(transport.send)
    output.push(Buffer.from('ab'))
    output.push(Buffer.from('cd'))
    output.end()
    expect(output.flush()).toBe(true)
    expect([transport.taken.toString(), transport.hasEnd, transport.sizes]).toEqual(['abcd', true, [2, 2]])
    expect(output.isEnded).toBe(true)
  })

  it('sends the end alone after all bytes are sent', () => {
    const transport = new Transport()
    const output = new StreamOutput(transport.send)
    output.push(Buffer.from('ab'))
    output.flush()
    expect(transport.hasEnd).toBe(false)
    output.end()
    output.flush()
    expect([transport.hasEnd, transport.sizes]).toEqual([true, [2, 0]])
  })

  it('writes at most 64 KiB per call', () => {
    const transport = new Transport()
    const output = new StreamOutput(transport.send)
    output.push(Buffer.alloc(150_000))
    output.end()
    output.flush()
    expect(transport.sizes).toEqual([65_536, 65_536, 18_928])
    expect(transport.hasEnd).toBe(true)
  })

  it('keeps the bytes that were not accepted, and reports whether any were', () => {
    const transport = new Transport()
    const output = new StreamOutput(transport.send)
    transport.room = 3
    output.push(Buffer.from('abcdef'))
    expect(output.flush()).toBe(true)
    expect(output.bufferedBytes).toBe(3)
    expect(output.flush()).toBe(false)
    transport.room = Infinity
    expect(output.flush()).toBe(true)
    expect([output.bufferedBytes, transport.taken.toString()]).toEqual([0, 'abcdef'])
  })

  it('accepts no bytes after its end or after clear', () => {
    const transport = new Transport()
    const output = new StreamOutput(transport.send)
    output.push(Buffer.from('gone'))
    output.clear()
    output.push(Buffer.from('late'))
    output.flush()
    expect([output.bufferedBytes, transport.sizes]).toEqual([0, []])
  })

  it('stops when the stream has ended', () => {
    const output = new StreamOutput(() => -1)
    output.push(Buffer.from('ab'))
    output.end()
    expect(output.flush()).toBe(false)
    expect(output.isEnded).toBe(false)
  })

  it('sends all bytes once and in order, however few are accepted per call', () => {
    const step = fc.oneof(fc.uint8Array({ maxLength: 10 }), fc.nat(7))
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const transport = new Transport()
        transport.room = 0
        const output = new StreamOutput(transport.send)
        const sent: Uint8Array[] = []
        for (const next of steps) {
          if (typeof next === 'number') transport.room += next
          else {
            output.push(next)
            sent.push(next)
          }
          output.flush()
          expect(transport.taken.length + output.bufferedBytes).toBe(Buffer.concat(sent).length)
        }
        output.end()
        transport.room = Infinity
        output.flush()
        expect(transport.taken).toEqual(Buffer.concat(sent))
        expect(transport.hasEnd).toBe(true)
      }),
    )
  })
})
