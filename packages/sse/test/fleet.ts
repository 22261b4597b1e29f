import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { EventClient } from '../src/testing.ts'
import { RedisServer } from './redis-server.ts'

export interface FleetOptions {
  readonly nodes: number
  readonly clients: number
  readonly seconds: number
  /** Whether Redis writes everything to disk before it answers. */
  readonly isDurable: boolean
}

export interface FleetResult {
  readonly published: number
  readonly reconnects: number
  /** What was wrong; empty if every client got exactly what was published. */
  readonly faults: readonly string[]
}

/** Milliseconds between two events. */
const PUBLISH_MS = 10
/** How long a client stays at most before it goes, and how long it stays away at most. */
const STAY_MS = 3000
const AWAY_MS = 1000
/** How long clients have after the last event. */
const PATIENCE_MS = 20_000

/**
 * Clients that come to random processes and leave them at random moments, while Redis is killed and started again in
 * the middle: each of them is to get exactly what was published, in order.
 */
export async function runFleet({ nodes, clients, seconds, isDurable }: FleetOptions): Promise<FleetResult> {
  await using redis = await RedisServer.start(isDurable)
  const program = fileURLToPath(new URL('fleet-node.ts', import.meta.url))
  const processes = Array.from({ length: nodes }, () => fork(program, [String(redis.port)]))
  const faults: string[] = []
  try {
    const ports = await Promise.all(processes.map((process) => portOf(process)))
    for (const process of processes) process.on('message', () => faults.push('a gap'))
    const fleet = new Fleet(ports)
    // The first event is what everybody begins after.
    processes[0]?.send({ data: '0', id: 'start' })
    const running = Array.from({ length: clients }, (_, at) => fleet.follow(at))
    const endMs = Date.now() + seconds * 1000
    const restartMs = Date.now() + seconds * 500
    let isRestarted = false
    let published = 0
    while (Date.now() < endMs) {
      published++
      // One process after the other would make one order out of several publishers; here one publishes.
      processes[0]?.send({ data: String(published) })
      if (!isRestarted && Date.now() > restartMs) {
        isRestarted = true
        void redis
          .kill()
          .then(() => delay(300))
          .then(() => redis.restart())
      }
      await delay(PUBLISH_MS)
    }
    fleet.last = published
    const late = delay(PATIENCE_MS, undefined, { ref: false }).then(() => fleet.giveUp())
    await Promise.race([Promise.all(running), late])
    await Promise.all(running)
    return { published, reconnects: fleet.reconnects, faults: [...faults, ...fleet.faults] }
  } finally {
    for (const process of processes) process.disconnect()
  }
}

async function portOf(process: ChildProcess): Promise<number> {
  const [message] = (await once(process, 'message')) as [{ port: number }]
  return message.port
}

class Fleet {
  readonly faults: string[] = []
  /** The last event to come, once it is known. */
  last = Infinity
  reconnects = 0
  #isOver = false
  readonly #ports: readonly number[]

  constructor(ports: readonly number[]) {
    this.#ports = ports
  }

  giveUp(): void {
    this.#isOver = true
  }

  /** One client from its first event to the last. */
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
        }
      } catch (error) {
        // Leaving is what this client is for; anything else is found out by what it gets.
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

// `node fleet.ts [clients] [seconds]`: the long form of what the tests do for a moment.
if (import.meta.main) {
  const [clients = 300, seconds = 60] = process.argv.slice(2).map(Number)
  for (const isDurable of [true, false]) {
    const { published, reconnects, faults } = await runFleet({ nodes: 3, clients, seconds, isDurable })
    console.log(
      `Redis ${isDurable ? 'with' : 'without'} its data after the restart: ${published} events, ${clients} clients, ` +
        `${reconnects} connections, ${faults.length} faults`,
    )
    for (const fault of faults.slice(0, 10)) console.log(`  ${fault}`)
    if (faults.length > 0) process.exitCode = 1
  }
}
