// Runs the demo on "busy" with one page open. Prints the heap sizes of the server and the page, and the rate of the feed in
// KB/s. Exits with 1 if a heap grows or the feed exceeds 30 KB/s. Run: node soak/hour-on-busy.ts 3600
import { launchChromium } from '@fw/testing'
import { flatness } from './flat.ts'
import { MeasuredDemo } from './measured-demo.ts'

const SECONDS = Number(process.argv[2] ?? 3600)
/** Interval between two lines of output: one minute in long runs, and an 18th of a short run. */
const STEP_MS = Math.min(60_000, (SECONDS * 1000) / 18)
/** Initial share of the run that the comparison omits, because caches and series are still filling. */
const WARM_UP_SHARE = 1 / 3
const MAX_FEED_KB = 30

await using demo = await MeasuredDemo.start({ DEMO_TRAFFIC: 'busy' })
const browser = await launchChromium()
const page = await browser.newPage()
await page.goto(demo.url.href)
const session = await page.context().newCDPSession(page)
await session.send('Network.enable')
let feedBytes = 0
session.on('Network.dataReceived', ({ dataLength }) => (feedBytes += dataLength))

const heaps = { server: [] as number[], page: [] as number[] }
const started = performance.now()
let largestFeed = 0
while (performance.now() - started < SECONDS * 1000) {
  const [before, from] = [feedBytes, performance.now()]
  await page.waitForTimeout(STEP_MS)
  const feedKb = (feedBytes - before) / (performance.now() - from)
  largestFeed = Math.max(largestFeed, feedKb)
  const { heapBytes, rssBytes } = await demo.measure()
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  heaps.server.push(heapBytes)
  heaps.page.push(usedSize)
  const seconds = Math.round((performance.now() - started) / 1000)
  const [rate, failed] = [await page.textContent('#kpis .kpi:first-child b'), await page.textContent('#failed')]
  console.log(
    `${seconds} s: server heap ${mib(heapBytes)}, resident ${mib(rssBytes)}, page heap ${mib(usedSize)}, ` +
      `feed ${feedKb.toFixed(1)} KB/s, ${rate} requests/s, ${failed} failed in the fleet`,
  )
}
await browser.close()

for (const [name, all] of Object.entries(heaps)) {
  const { isFlat, ratio } = flatness(all.slice(Math.floor(all.length * WARM_UP_SHARE)))
  console.log(`${name} heap: last third ${ratio.toFixed(3)} of the first third after the warm-up; flat: ${isFlat}`)
  if (!isFlat) process.exitCode = 1
}
console.log(`largest feed: ${largestFeed.toFixed(1)} KB/s of ${MAX_FEED_KB}`)
if (largestFeed > MAX_FEED_KB) process.exitCode = 1

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
