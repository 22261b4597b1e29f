import type { LaneResult, RaceMessage } from '../src/live/messages.ts'
import { milliseconds } from './format.ts'

/** The names of the lanes for readers. */
const LANE_NAMES: Readonly<Record<string, string>> = {
  h1: 'HTTP/1.1',
  h2: 'HTTP/2',
  h3: 'HTTP/3',
  SSE: 'Events with POST',
  WS: 'WebSocket',
  WT: 'WebTransport',
}

/** Lanes within this share of the fastest are too close to call. */
const TIE = 1.05

/** A sentence about a race: the winner and the reason. */
export interface RaceWords {
  readonly winner: string
  readonly why: string
}

/** Names the winner of a race. The reasons do not depend on the winner. */
export function raceWords({ kind, lanes }: RaceMessage): RaceWords {
  const ran = lanes.filter(({ absent }) => absent === undefined).toSorted((a, b) => a.totalMs - b.totalMs)
  const [first, second] = ran
  if (first === undefined) return { winner: 'No lane ran.', why: '' }
  const isTie = second !== undefined && second.totalMs <= first.totalMs * TIE
  const winner = isTie ? `${nameOf(first)} and ${nameOf(second)} are too close to call.` : `${nameOf(first)} won.`
  return { winner, why: [reason(kind, lanes), ...lanes.map(absence)].filter(Boolean).join(' ') }
}

function reason(kind: RaceMessage['kind'], lanes: readonly LaneResult[]): string {
  if (kind === 'one') return 'One request on an open connection, the fastest of 21. No protocol is best at everything.'
  if (kind === 'echo') {
    const slowest = Math.max(...lanes.map(({ totalMs }) => totalMs))
    return `One message there and back, median of 200; the slowest took ${milliseconds(slowest)}.`
  }
  const { connections = 6 } = lanes.find(({ name }) => name === 'h1') ?? {}
  return `50 files of 2 KB with new connections. HTTP/1.1 opened ${connections} and waited in line; the others used one.`
}

function absence({ name, absent }: LaneResult): string {
  return absent === undefined ? '' : `${nameOf({ name })} did not run: ${absent}.`
}

function nameOf({ name }: Pick<LaneResult, 'name'>): string {
  return LANE_NAMES[name] ?? name
}
