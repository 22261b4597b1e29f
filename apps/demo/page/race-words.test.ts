import { expect, it } from 'vitest'
import type { LaneResult, RaceKind } from '../src/live/messages.ts'
import { paceWords, raceWords } from './race-words.ts'

const lane = (name: string, totalMs: number, absent?: string): LaneResult => ({
  name,
  totalMs,
  spans: [],
  connections: 6,
  absent,
})
const words = (kind: RaceKind, ...lanes: LaneResult[]): string => {
  const { winner, why } = raceWords({ kind, lanes })
  return `${winner} ${why}`
}

it('names the winner, even if it is HTTP/1.1', () => {
  expect(words('one', lane('h1', 1), lane('h2', 1.3), lane('h3', 1.8))).toMatch(/^HTTP\/1\.1 won\. /)
  expect(words('files', lane('h1', 60), lane('h2', 20), lane('h3', 25))).toMatch(/^HTTP\/2 won\. .*opened 6 and queued/)
})

it('reports a tie for a difference below 5%', () => {
  expect(words('files', lane('h1', 60), lane('h2', 20), lane('h3', 20.9))).toMatch(
    /^HTTP\/2 and HTTP\/3 are too close to call/,
  )
})

it('names the lane that did not run, and the reason', () => {
  expect(words('echo', lane('SSE', 1), lane('WS', 0.4), lane('WT', 0, 'not there'))).toMatch(
    /^WebSocket won\. .*, median of 200\. .*HTTP\/1\.1\. WebTransport did not run: not there\.$/,
  )
  expect(raceWords({ kind: 'one', lanes: [] }).winner).toBe('No lane ran.')
})

it.each([
  [16, 'Off they go, 100 times slower than it was …'],
  [1060, 'Off they go, 2 times slower than it was …'],
  [1200, 'Off they go, about as fast as it was …'],
  [1600, 'Off they go, about as fast as it was …'],
  [4800, 'Off they go, 3 times faster than it was …'],
])('compares a race of %d ms with 1.6 s on the page: %s', (raceMs, expected) =>
  expect(paceWords(raceMs, 1600)).toBe(expected),
)
