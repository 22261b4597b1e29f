/** Measures one candidate in a process of its own: `measure.ts <candidate> <what> <path> <count>`. Prints a number. */
import { CANDIDATES } from './candidates.ts'

const [name = '', what = '', path = '', countText = ''] = process.argv.slice(2)
const count = Number(countText)
const make = CANDIDATES[name]
if (make === undefined) throw new Error(`No candidate is called '${name}'`)
const candidate = await make(path)

/** Calls per turn of the event loop, as a server makes them while it answers requests. */
const CHUNK = 100

/** Milliseconds of this thread's processor within the calls alone: other programs on the machine do not count. */
async function chunks(from: number, to: number): Promise<number> {
  let ms = 0
  for (let n = from; n < to; n += CHUNK) {
    const before = cpuMs()
    for (let at = n; at < n + CHUNK; at++) candidate.info(at)
    ms += cpuMs() - before
    await new Promise(setImmediate)
  }
  return ms
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function disabled(calls: number): number {
  const before = cpuMs()
  for (let n = 0; n < calls; n++) candidate.debug(n)
  return cpuMs() - before
}

const WARM = 10_000

if (what === 'disabled') {
  disabled(1_000_000)
  print((disabled(count) / count) * 1e6)
} else if (what === 'chunk') {
  await chunks(0, WARM)
  const ms = await chunks(WARM, count)
  await candidate.end()
  print((ms / (count - WARM)) * 1e6)
} else {
  await chunks(0, WARM)
  const before = performance.now()
  for (let n = WARM; n < count; n++) candidate.info(n)
  await candidate.end()
  print(((count - WARM) / (performance.now() - before)) * 1000)
}

function print(value: number): void {
  process.stdout.write(String(value))
}
