import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { churn, IDLE_TIMEOUT_MS } from './churn.ts'
import type { ChurnState } from './churn-server.ts'

const CONNECTIONS = Number(process.env['CHURN_CONNECTIONS'] ?? 120)
const WIDTH = Number(process.env['CHURN_WIDTH'] ?? 20)
const MIB = 1024 * 1024

let child: ChildProcess
let port: number

beforeAll(async () => {
  child = fork(new URL('churn-server.ts', import.meta.url), { execArgv: ['--expose-gc'] })
  ;[port] = (await once(child, 'message')) as [number]
})
afterAll(() => child.kill())

async function state(): Promise<ChurnState> {
  child.send('state')
  const [notified] = (await once(child, 'message')) as [ChurnState]
  return notified
}

/** Returns the state after the connections of clients that disappeared have timed out. */
async function settled(): Promise<ChurnState> {
  await expect.poll(async () => (await state()).openExchanges, { timeout: 30 * IDLE_TIMEOUT_MS, interval: 200 }).toBe(0)
  return state()
}

describe('HTTP/3 under churn', () => {
  it(
    `survives ${CONNECTIONS} misbehaving connections, ${WIDTH} at a time, without leaks or failures for other clients`,
    async () => {
      await churn(port, CONNECTIONS / 4, WIDTH, 1)
      const before = await settled()
      const { served, failed, slowestMs } = await churn(port, CONNECTIONS, WIDTH, 2)
      const after = await settled()
      const grownMiB = (after.heapBytes - before.heapBytes) / MIB
      if (process.env['CHURN_CONNECTIONS'] !== undefined) {
        const rss = [before, after].map(({ rssBytes }) => Math.round(rssBytes / MIB))
        console.log({ requests: after.requests - before.requests, served, failed, slowestMs, grownMiB, rss })
      }
      expect({ served: served > 0, failed }).toEqual({ served: true, failed: 0 })
      expect(after.requests - before.requests).toBeGreaterThan(CONNECTIONS)
      expect(grownMiB).toBeLessThan(4)
    },
    180_000 + CONNECTIONS * 100,
  )
})
