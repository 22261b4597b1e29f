import { fork, type ChildProcess } from 'node:child_process'
import { on } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RedisServer } from '@fw/testing/redis'
import { EventClient } from '../src/testing.ts'

export interface FleetOptions {
  readonly nodes: number
  readonly clients: number
  readonly seconds: number
  /** Whether Redis writes to disk before each reply. */
  readonly isDurable: boolean
  /** The disruptions to Redis, at equal intervals. */
  readonly disturbances: readonly Disturbance[]
}

/** 'restart' kills and restarts Redis, 'cut' closes its connections, 'pause' suspends it for longer than the time limit. */
export type Disturbance = 'restart' | 'cut' | 'pause'

export interface FleetResult {
  readonly published: number
  readonly reconnects: number
  /** The errors; empty if every client received exactly the published events. */
  readonly faults: readonly string[]
}

export const DISTURBANCES: readonly Disturbance[] = ['restart', 'cut', 'pause']

/** Duration of a Redis outage. */
const RESTART_MS = 300
/** Twice the time limit of a response. */
const PAUSE_MS = 2000
/** Milliseconds between two events. */
const PUBLISH_MS = 10
/** Maximum duration of a connection, and of the pause after it. */
const STAY_MS = 3000
const AWAY_MS = 1000
/** Minimum number of reconnects per client, on average. */
export const MOVES = 2
/** Minimum number of events per requested second. */
export const EVENTS_PER_SECOND = 10
/** Milliseconds that clients have to finish after the last event. */
const PATIENCE_MS = 100_000

/**
 * Connects clients to random processes for random times while Redis is being disrupted. Each client must receive exactly the
 * published events, in order.
 */
export async function runFleet(options: FleetOptions): Promise<FleetResult> {
  const { nodes, clients, seconds, isDurable, disturbances } = options
  await using redis = await RedisServer.start(isDurable)
  const program = fileURLToPath(new URL('fleet-node.ts', import.meta.url))
  const processes = Array.from({ length: nodes }, () => fork(program, [redis.path]))
  const faults: string[] = []
  try {
    const ports = await Promise.all(processes.map(async (process) => (await responseOf(process, 'port')).port))
    for (const process of processes) {
      process.on('message', (message) => {
        if (message === 'gap') faults.push('a gap')
      })
    }
    const fleet = new Fleet(ports)
    // Only one process publishes, so that there is one expected order.
    const [publisher] = processes
    if (publisher === undefined) throw new RangeError('A fleet must have at least one process')
    publisher.send({ begin: PUBLISH_MS })
    await responseOf(publisher, 'begun')
    const running = Array.from({ length: clients }, (_, at) => fleet.follow(at))
    const stepMs = (seconds * 1000) / (disturbances.length + 1)
    for (const disturbance of [undefined, ...disturbances]) {
      if (disturbance !== undefined) await disturb(redis, disturbance)
      await delay(stepMs)
    }
    // A slow machine completes fewer reconnects and events.
    while (fleet.reconnects <= clients * MOVES || fleet.newest <= seconds * EVENTS_PER_SECOND) await delay(PUBLISH_MS)
    publisher.send('end')
    const { published } = await responseOf(publisher, 'published')
    fleet.last = published
    const late = delay(PATIENCE_MS, undefined, { ref: false }).then(() => fleet.giveUp())
    await Promise.race([Promise.all(running), late])
    await Promise.all(running)
    return { published, reconnects: fleet.reconnects, faults: [...faults, ...fleet.faults] }
  } finally {
    for (const process of processes) process.disconnect()
  }
}

async function disturb(redis: RedisServer, disturbance: Disturbance): Promise<void> {
  if (disturbance === 'cut') await redis.command('CLIENT', 'KILL', 'TYPE', 'normal')
  else if (disturbance === 'restart') {
    await redis.kill()
    await delay(RESTART_MS)
    await redis.restart()
  } else {
    redis.pause()
    await delay(PAUSE_MS)
    redis.resume()
  }
}

/** A message from a process. */
interface Responses {
  readonly port: number
  readonly begun: true
  readonly published: number
}

/** Resolves with the next message from a process that has this property. */
async function responseOf<Name extends keyof Responses>(
  process: ChildProcess,
  name: Name,
): Promise<Pick<Responses, Name>> {
  for await (const [message] of on(process, 'message') as AsyncIterable<[Responses | 'gap']>) {
    if (message !== 'gap' && name in message) return message
  }
  throw new Error(`The process did not send '${name}'`)
}

class Fleet {
  readonly faults: string[] = []
  /** The number of the last event, once it is known. */
  last = Infinity
  reconnects = 0
  /** The newest event that any client has received. */
  newest = 0
  #isOver = false
  readonly #ports: readonly number[]

  constructor(ports: readonly number[]) {
    this.#ports = ports
  }

  giveUp(): void {
    this.#isOver = true
  }

  /** Runs one client from its first event to the last. */
  async follow(at: number): Promise<void> {
    let lastEventId = 'start'
    let expected = 1
    while (expected <= this.last && !this.#isOver) {
      const port = this.#ports[Math.floor(Math.random() * this.#ports.length)]
      const leaving = new AbortController()
      const timer = setTimeout(() => leaving.abort(), Math.random() * STAY_MS)
      try {
        const init = { headers: { 'last-event-id': lastEventId }, signal: leaving.signal }
        const client = await EventClient.connect({ fetch }, `http://127.0.0.1:${port}/`, init)
        for (;;) {
          if (expected > this.last) leaving.abort()
          const event = await client.next()
          if (event === undefined) break
          lastEventId = event.lastEventId
          if (Number(event.data) !== expected) this.faults.push(`client ${at}: ${event.data} instead of ${expected}`)
          expected = Number(event.data) + 1
          this.newest = Math.max(this.newest, expected - 1)
        }
      } catch (error) {
        // Ignore errors from closing. Other errors show up as missing events.
        if (!leaving.signal.aborted) await delay(10)
        else if (error !== leaving.signal.reason) this.faults.push(String(error))
      } finally {
        clearTimeout(timer)
      }
      this.reconnects++
      if (expected <= this.last) await delay(Math.random() * AWAY_MS)
    }
    if (expected <= this.last) this.faults.push(`client ${at}: nothing after ${expected - 1} of ${this.last}`)
  }
}

// `node fleet.ts [clients] [seconds] [disturbances]` runs the test with these parameters.
if (import.meta.main) {
  const [clients = '300', seconds = '60', wanted = DISTURBANCES.join()] = process.argv.slice(2)
  const disturbances = DISTURBANCES.filter((disturbance) => wanted.split(',').includes(disturbance))
  for (const isDurable of [true, false]) {
    const result = await runFleet({
      nodes: 3,
      clients: Number(clients),
      seconds: Number(seconds),
      isDurable,
      disturbances,
    })
    const { published, reconnects, faults } = result
    console.log(
      `Redis ${isDurable ? 'with' : 'without'} its data after ${disturbances.join(', ')}: ${published} events, ` +
        `${clients} clients, ${reconnects} connections, ${faults.length} faults`,
    )
    for (const fault of faults.slice(0, 10)) console.log(`  ${fault}`)
    if (faults.length > 0) process.exitCode = 1
  }
}
