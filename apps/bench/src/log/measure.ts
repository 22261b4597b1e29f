/** Measures one candidate in a process of its own: `measure.ts <candidate> <what> <path> <calls> <warm-up>`. Prints a number. */
import { CANDIDATES } from './candidates.ts'
import { measureDisabled } from './disabled.ts'

const [name = '', what = '', path = '', ...counts] = process.argv.slice(2)
const [count = 0, warm = 0] = counts.map(Number)
const make = CANDIDATES[name]
if (make === undefined) throw new Error(`No candidate is called '${name}'`)
const candidate = await make(path)

/** Calls per turn of the event loop, as a server makes them while it answers requests. */
const CHUNK = 100

/** Milliseconds within the calls of the median turn: what else the machine does falls on few turns. */
async function turns(from: number, to: number): Promise<number> {
  const measured: number[] = []
  for (let n = from; n < to; n += CHUNK) {
    const before = performance.now()
    for (let at = n; at < n + CHUNK; at++) candidate.info(at)
    measured.push(performance.now() - before)
    await new Promise(setImmediate)
  }
  return median(measured)
}

function median(measured: readonly number[]): number {
  return measured.toSorted((a, b) => a - b)[measured.length >> 1] ?? NaN
}

if (what === 'disabled') {
  measureDisabled(candidate, warm)
  print(measureDisabled(candidate, count))
} else if (what === 'chunk') {
  await turns(0, warm)
  const ms = await turns(warm, count)
  await candidate.end()
  print((ms / CHUNK) * 1e6)
} else {
  await turns(0, warm)
  const before = performance.now()
  for (let n = warm; n < count; n++) candidate.info(n)
  await candidate.end()
  print(((count - warm) / (performance.now() - before)) * 1000)
}

function print(value: number): void {
  process.stdout.write(String(value))
}
