// Compares the demo's throughput with and without one viewer, in alternating turns. Exits with 1 if the median of
// the ratios is below 0.95. Run: node soak/cost-of-a-viewer.ts [turns of each kind] [seconds of a turn]
import { Agent, get } from 'node:http'
import { MeasuredDemo } from './measured-demo.ts'

const TURNS = Number(process.argv[2] ?? 12)
const TURN_MS = Number(process.argv[3] ?? 4) * 1000
const CONNECTIONS = 16
const MIN_RATIO = 0.95

await using demo = await MeasuredDemo.start({ DEMO_TRAFFIC: 'off', DEMO_HTTP3: 'off' })
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

interface Turn {
  readonly perSecond: number
  readonly cpuUs: number
}

/** Follows the feed as a page does. Returns a function that disconnects. */
async function follow(): Promise<() => Promise<void>> {
  const controller = new AbortController()
  const response = await fetch(new URL('/events', demo.url), { signal: controller.signal })
  const ended = (async () => {
    for await (const chunk of response.body ?? []) void chunk
  })().catch(() => {})
  return async () => {
    controller.abort()
    await ended
  }
}

/** Sends requests over all connections, one after another on each, until the time has elapsed. */
async function load(milliseconds: number): Promise<Turn> {
  const before = await demo.measure()
  const started = performance.now()
  let count = 0
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      get(new URL('/healthz', demo.url), { agent }, (response) => response.resume().on('end', resolve)).on(
        'error',
        reject,
      )
    })
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() - started < milliseconds) {
        await one()
        count++
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { cpuUs } = await demo.measure()
  return { perSecond: count / seconds, cpuUs: (cpuUs - before.cpuUs) / count }
}

async function turn(hasViewer: boolean): Promise<Turn> {
  const leave = hasViewer ? await follow() : undefined
  const result = await load(TURN_MS)
  await leave?.()
  return result
}

// The first viewer starts the four processes of the restart panel and a race. The processes keep running in all later turns.
await turn(true)
await turn(false)
const rates: number[] = []
const costs: number[] = []
for (let n = 0; n < TURNS; n++) {
  // Consecutive pairs begin with different kinds, so that a gradual change in the machine's speed affects both.
  const first = await turn(n % 2 === 0)
  const second = await turn(n % 2 !== 0)
  const [viewer, none] = n % 2 === 0 ? [first, second] : [second, first]
  rates.push(viewer.perSecond / none.perSecond)
  costs.push(none.cpuUs / viewer.cpuUs)
  console.log(
    `${n + 1}: ${viewer.perSecond.toFixed(0)} requests/s and ${viewer.cpuUs.toFixed(0)} µs CPU a request with a viewer, ` +
      `${none.perSecond.toFixed(0)} and ${none.cpuUs.toFixed(0)} without`,
  )
}
agent.destroy()
console.log(`requests/s with a viewer: median ${median(rates).toFixed(3)} of those without`)
console.log(`requests for each second of CPU time with a viewer: median ${median(costs).toFixed(3)} of those without`)
if (median(rates) < MIN_RATIO) process.exitCode = 1

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
