/** Measures one logger and prints the figure: `measure.ts <candidate> <mode> <path> <calls> <warm-up>`. */
import { CANDIDATES } from './candidates.ts'
import { measureDisabled } from './disabled.ts'

const [name = '', mode = '', path = '', ...counts] = process.argv.slice(2)
const [count = 0, warm = 0] = counts.map(Number)
const make = CANDIDATES[name]
if (make === undefined) throw new Error(`Unknown candidate '${name}'`)
const candidate = await make(path)

/** Calls per event-loop turn. */
const CHUNK = 100

/** Returns the time of the calls in the median turn in milliseconds. Other load on the machine affects only a few turns. */
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

if (mode === 'disabled') {
  measureDisabled(candidate, warm)
  print(measureDisabled(candidate, count))
} else if (mode === 'chunk') {
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
