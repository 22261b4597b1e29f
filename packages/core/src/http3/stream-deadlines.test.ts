import { settle } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { Deadlines } from '../engine/event-loop/deadlines.ts'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import { StreamDeadlines } from './stream-deadlines.ts'

/** The client's progress after its response was blocked, with 1,000 bytes written on the connection. */
interface Progress {
  readonly bufferedBytes: number
  readonly hasProgressed: boolean
  readonly writtenBytes: number
}

const PROGRESS: readonly (readonly [what: string, progress: Progress, deadline: 'unchanged' | 'later' | 'never'])[] = [
  ['no byte is read', { bufferedBytes: 5000, hasProgressed: false, writtenBytes: 1000 }, 'unchanged'],
  [
    'only bytes from other responses are read',
    { bufferedBytes: 5000, hasProgressed: false, writtenBytes: 1_000_000 },
    'unchanged',
  ],
  ['one byte is read', { bufferedBytes: 4999, hasProgressed: true, writtenBytes: 1001 }, 'unchanged'],
  [
    'one byte less than 256 bytes per second is read',
    { bufferedBytes: 4999, hasProgressed: true, writtenBytes: 16_359 },
    'unchanged',
  ],
  [
    '256 bytes per second are read, one of them from this response',
    { bufferedBytes: 4999, hasProgressed: true, writtenBytes: 16_360 },
    'later',
  ],
  ['all bytes are read', { bufferedBytes: 0, hasProgressed: true, writtenBytes: 1001 }, 'never'],
]

describe('the response deadline', () => {
  it.each(PROGRESS)(
    "follows the client's progress: %s",
    async (_what, { bufferedBytes, hasProgressed, writtenBytes }, deadline) => {
      const times = new StreamDeadlines(new Deadlines(), DEFAULT_LIMITS)
      // Start from an earlier response with large counters.
      times.watchBody(false)
      times.watchResponse(0, true, 500_000)
      times.watchResponse(6000, true, 1000)
      const before = times.nextMs
      expect(before).toBeLessThan(Infinity)
      await settle(5)
      times.watchResponse(bufferedBytes, hasProgressed, writtenBytes)
      const after = times.nextMs
      expect(after === Infinity ? 'never' : after > before ? 'later' : 'unchanged').toBe(deadline)
    },
  )
})
