import { RACE_FILES, raceFile } from '../app/race-files.ts'
import type { LaneResult, ProtocolName, RaceKind, RaceMessage, RaceSpan } from '../live/messages.ts'
import { raceEcho } from './echo-race.ts'
import { openLane, send } from './lane-client.ts'
import { absent, laneResult } from './lane-result.ts'
import type { Target } from './tasks.ts'

/** Number of connections that a browser opens to one host over HTTP/1.1. */
const BROWSER_CONNECTIONS = 6
/** Number of requests before the measured one, so that the connection is open and the code is compiled. */
const WARM_UP = 20

/** Runs a race. The lanes run one after another, so that they do not slow each other down. */
export async function race(target: Target, kind: RaceKind): Promise<RaceMessage> {
  if (kind === 'echo') return { kind, lanes: await raceEcho(target) }
  await warmUp(target)
  const lanes: LaneResult[] = []
  for (const protocol of ['h1', 'h2', 'h3'] as const) {
    if (protocol === 'h3' && !target.http3) lanes.push(absent(protocol, 'HTTP/3 is off'))
    else lanes.push(kind === 'files' ? await raceFiles(target, protocol) : await raceOne(target, protocol))
  }
  return { kind, lanes }
}

/** Loads 50 files over new connections, as a browser does. */
async function raceFiles(target: Target, protocol: ProtocolName): Promise<LaneResult> {
  const spans: RaceSpan[] = []
  const zero = performance.now()
  const connections = protocol === 'h1' ? BROWSER_CONNECTIONS : 1
  const waiting = Array.from({ length: RACE_FILES }, (_, n) => n)
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await openLane(target, protocol)
      const load = async (n: number): Promise<void> => {
        const from = performance.now() - zero
        const response = await send(client, target, 'race', { path: `/race/${raceFile(n)}` })
        await response.bytes()
        spans[n] = [from, performance.now() - zero]
      }
      try {
        // HTTP/1.1 sends one request after another on a connection; the other protocols send all requests together.
        if (protocol === 'h1') for (let n = waiting.shift(); n !== undefined; n = waiting.shift()) await load(n)
        else await Promise.all(waiting.map(load))
      } finally {
        await client.close()
      }
    }),
  )
  return laneResult(protocol, spans, connections)
}

/** Loads every file once, so that the first lane does not fill the server's cache for the others. */
async function warmUp(target: Target): Promise<void> {
  const client = await openLane(target, 'h2')
  try {
    for (let n = 0; n < RACE_FILES; n++)
      await (await send(client, target, 'race', { path: `/race/${raceFile(n)}` })).bytes()
  } finally {
    await client.close()
  }
}

async function raceOne(target: Target, protocol: ProtocolName): Promise<LaneResult> {
  const client = await openLane(target, protocol)
  try {
    let span: RaceSpan = [0, 0]
    for (let n = 0; n <= WARM_UP; n++) {
      const from = performance.now()
      const response = await send(client, target, 'race', { path: '/race/0.txt' })
      await response.bytes()
      const took = performance.now() - from
      // A single measurement can coincide with a garbage collection, so use the fastest.
      span = n === 0 || took < span[1] ? [0, took] : span
    }
    return laneResult(protocol, [span], 1)
  } finally {
    await client.close()
  }
}
