import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { StatelessResets } from './stateless-resets.ts'

const SECRET = Buffer.alloc(32, 1)
const ID = Buffer.alloc(20, 2)

describe('StatelessResets', () => {
  it.each([
    [21, undefined],
    [22, 21],
    [30, 29],
    [43, 42],
    [1200, 42],
  ])(
    'answers a packet of length %i with length %s: less, but at least the minimum of RFC 9000 §10.3',
    (bytes, expected) => {
      expect(new StatelessResets(SECRET, 0).respond(ID, bytes, 0)?.byteLength).toBe(expected)
    },
  )

  it('creates a packet with a short header that ends with the token of the connection ID', () => {
    const resets = new StatelessResets(SECRET, 0)
    const response = resets.respond(ID, 100, 0)
    expect((response?.[0] ?? 0) & 0xc0).toBe(0x40)
    expect(BigInt(`0x${response?.subarray(-16).toString('hex')}`)).toBe(resets.token(ID))
  })

  it('randomizes everything except the token', () => {
    const resets = new StatelessResets(SECRET, 0)
    expect(resets.respond(ID, 100, 0)?.subarray(0, -16)).not.toEqual(resets.respond(ID, 100, 0)?.subarray(0, -16))
  })

  it('returns the same token after a restart, but only with the same secret', () => {
    expect(new StatelessResets(SECRET, 5).token(ID)).toBe(new StatelessResets(SECRET, 0).token(ID))
    expect(new StatelessResets(randomBytes(32), 0).token(ID)).not.toBe(new StatelessResets(SECRET, 0).token(ID))
  })

  it('permits a burst of 1,000 resets and 500 per second', () => {
    const resets = new StatelessResets(SECRET, 0)
    const count = (nowMs: number): number =>
      Array.from({ length: 3000 }, () => resets.respond(ID, 100, nowMs)).filter((response) => response !== undefined)
        .length
    expect([count(0), count(1000), count(1000)]).toEqual([1000, 500, 0])
  })
})
