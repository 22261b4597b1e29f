// Runs the demo on "busy" with one page open, and prints memory and feed once a minute. Run: node soak/hour-on-busy.ts 3600
import { DemoProcess } from '../test/demo-process.ts'
import { launchChromium, tempFolder } from '@fw/testing'

const SECONDS = Number(process.argv[2] ?? 3600)
const STEP_MS = 60_000

await using folder = await tempFolder()
await using demo = new DemoProcess({
  DEMO_PORT: '0',
  DEMO_TLS_PORT: '0',
  DEMO_TRAFFIC: 'busy',
  DEMO_LOG_LEVEL: 'warn',
  DEMO_DATA_DIR: folder.path,
})
const { cleartext } = await demo.addresses()
const browser = await launchChromium()
const page = await browser.newPage()
await page.goto(cleartext.href)
const session = await page.context().newCDPSession(page)
await session.send('Network.enable')
let feedBytes = 0
session.on('Network.dataReceived', ({ dataLength }) => (feedBytes += dataLength))

for (let at = 0; at < SECONDS * 1000; at += STEP_MS) {
  const before = feedBytes
  await page.waitForTimeout(Math.min(STEP_MS, SECONDS * 1000 - at))
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const server = await page.textContent('#kpis .kpi:last-child b')
  const rate = await page.textContent('#kpis .kpi:first-child b')
  const kbPerSecond = (feedBytes - before) / STEP_MS
  console.log(
    `${Math.round(at / STEP_MS) + 1} min: page ${(usedSize / 2 ** 20).toFixed(1)} MiB, server ${server} MB, ` +
      `feed ${kbPerSecond.toFixed(1)} KB/s, ${rate} requests/s, ${await page.textContent('#failed')} failed`,
  )
}
await browser.close()
