import type { ProtocolClient } from '@fw/testing/clients'
import type { ProtocolName, TrafficLevel } from '../live/messages.ts'
import { openLane, send } from './lane-client.ts'
import type { Target } from './tasks.ts'
import { drawRequest, RATES, SHARES } from './traffic-plan.ts'

/** Milliseconds between two steps. */
const STEP_MS = 20
/** Maximum number of concurrent requests per protocol. A slow machine then sends fewer requests instead of queuing them. */
const MAX_RUNNING = 16
/** Share of requests that open a new connection, so that the page also shows handshakes. */
const FRESH_SHARE = 0.02
/** Milliseconds until a protocol is tried again after it failed. */
const RETRY_MS = 1000

interface Lane {
  client: ProtocolClient | undefined
  running: number
  retryAt: number
}

/** Sends requests at a steady rate over every protocol, as visitors would. */
export class Traffic {
  readonly #target: Target
  readonly #lanes = new Map<ProtocolName, Lane>()
  #level: TrafficLevel = 'off'
  #timer: NodeJS.Timeout | undefined
  #owed = 0
  #before = performance.now()

  constructor(target: Target) {
    this.#target = target
    for (const protocol of ['h1', 'h2', ...(target.http3 ? ['h3' as const] : [])] as const) {
      this.#lanes.set(protocol, { client: undefined, running: 0, retryAt: 0 })
    }
  }

  set(level: TrafficLevel): void {
    this.#level = level
    clearInterval(this.#timer)
    this.#owed = 0
    this.#before = performance.now()
    if (level !== 'off') this.#timer = setInterval(() => this.#step(), STEP_MS)
  }

  #step(): void {
    const now = performance.now()
    this.#owed = Math.min(RATES[this.#level], this.#owed + ((now - this.#before) / 1000) * RATES[this.#level])
    this.#before = now
    for (; this.#owed >= 1; this.#owed--) {
      let x = Math.random()
      const protocol = SHARES.find(([, share]) => (x -= share) < 0)?.[0] ?? 'h2'
      const lane = this.#lanes.get(protocol)
      if (lane !== undefined && lane.running < MAX_RUNNING && now >= lane.retryAt) void this.#ask(protocol, lane)
    }
  }

  async #ask(protocol: ProtocolName, lane: Lane): Promise<void> {
    lane.running++
    try {
      if (lane.client !== undefined && lane.running === 1 && Math.random() < FRESH_SHARE) {
        await lane.client.close()
        lane.client = undefined
      }
      lane.client ??= await openLane(this.#target, protocol)
      const response = await send(lane.client, this.#target, 'demo', drawRequest(Math.random))
      await response.bytes()
    } catch {
      // The demo is closing, or a connection ended between two requests. The next request opens another connection.
      lane.client?.close().catch(() => {})
      lane.client = undefined
      lane.retryAt = performance.now() + RETRY_MS
    } finally {
      lane.running--
    }
  }
}
