import { settle } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { Deadlines } from '../engine/event-loop/deadlines.ts'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import { StreamDeadlines } from './stream-deadlines.ts'

/** What the client is seen to do after its response began to wait, with 1,000 bytes written on the connection. */
interface Seen {
  readonly bufferedBytes: number
  readonly hasProgressed: boolean
  readonly writtenBytes: number
}

const SEEN: readonly (readonly [what: string, seen: Seen, becomes: 'the same' | 'later' | 'never'])[] = [
  ['nothing taken', { bufferedBytes: 5000, hasProgressed: false, writtenBytes: 1000 }, 'the same'],
  ['nothing taken of this one', { bufferedBytes: 5000, hasProgressed: false, writtenBytes: 1_000_000 }, 'the same'],
  ['a byte taken, and no other', { bufferedBytes: 4999, hasProgressed: true, writtenBytes: 1001 }, 'the same'],
  [
    'a byte less than 256 a second taken',
    { bufferedBytes: 4999, hasProgressed: true, writtenBytes: 16_359 },
    'the same',
  ],
  [
    '256 a second taken, a byte of this one',
    { bufferedBytes: 4999, hasProgressed: true, writtenBytes: 16_360 },
    'later',
  ],
  ['all of it taken', { bufferedBytes: 0, hasProgressed: true, writtenBytes: 1001 }, 'never'],
]

describe('by when a response that waits has to be taken', () => {
  it.each(SEEN)('%s', async (_what, { bufferedBytes, hasProgressed, writtenBytes }, becomes) => {
    const times = new StreamDeadlines(new Deadlines(), DEFAULT_LIMITS)
    // Before, it took long, and the connection much.
    times.watchBody(false)
    times.watchResponse(0, true, 500_000)
    times.watchResponse(6000, true, 1000)
    const before = times.nextMs
    expect(before).toBeLessThan(Infinity)
    await settle(5)
    times.watchResponse(bufferedBytes, hasProgressed, writtenBytes)
    const after = times.nextMs
    expect(after === Infinity ? 'never' : after > before ? 'later' : 'the same').toBe(becomes)
  })
})
