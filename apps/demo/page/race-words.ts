import type { LaneResult, ProtocolName, RaceKind, RaceMessage } from '../src/live/messages.ts'

/** Lanes of each kind: the name, and the protocol, which determines the color. */
export const LANES: Readonly<Record<RaceKind, readonly (readonly [name: string, protocol: ProtocolName])[]>> = {
  files: [
    ['h1', 'h1'],
    ['h2', 'h2'],
    ['h3', 'h3'],
  ],
  one: [
    ['h1', 'h1'],
    ['h2', 'h2'],
    ['h3', 'h3'],
  ],
  echo: [
    ['SSE', 'h2'],
    ['WS', 'h1'],
    ['WT', 'h3'],
  ],
}

/** Meaning of a line in a lane. */
export const LEGENDS: Readonly<Record<RaceKind, string>> = {
  files: 'each line is one request',
  one: 'the bar is one request',
  echo: 'each line is one message',
}

/** Display names of the lanes. */
const LANE_NAMES: Readonly<Record<string, string>> = {
  h1: 'HTTP/1.1',
  h2: 'HTTP/2',
  h3: 'HTTP/3',
  SSE: 'Events with POST',
  WS: 'WebSocket',
  WT: 'WebTransport',
}

/** Relative difference from the fastest lane below which a race is too close to call. */
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

/** States how much slower or faster a race is drawn than it was. */
export function paceWords(raceMs: number, shownMs: number): string {
  const slower = shownMs / raceMs
  if (slower >= 1.5) return `Off they go, ${Math.round(slower)} times slower than it was …`
  if (slower <= 1 / 1.5) return `Off they go, ${Math.round(1 / slower)} times faster than it was …`
  return 'Off they go, about as fast as it was …'
}

function reason(kind: RaceMessage['kind'], lanes: readonly LaneResult[]): string {
  if (kind === 'one') return 'One request on an open connection, the fastest of 21. No protocol is best at everything.'
  if (kind === 'echo')
    return 'One message there and back, median of 200. Events and POST used HTTP/2, the WebSocket HTTP/1.1.'
  const { connections = 6 } = lanes.find(({ name }) => name === 'h1') ?? {}
  return `50 files of 2 KB, new connections. HTTP/1.1 opened ${connections} and queued its requests; the others opened one each.`
}

function absence({ name, absent }: LaneResult): string {
  return absent === undefined ? '' : `${nameOf({ name })} did not run: ${absent}.`
}

function nameOf({ name }: Pick<LaneResult, 'name'>): string {
  return LANE_NAMES[name] ?? name
}
