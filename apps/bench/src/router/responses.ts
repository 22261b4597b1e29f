// Compares routing, context and response without sockets with other frameworks.
// Usage: node src/router/responses.ts [--quick] [--only param] [--sets 3]
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { APPLICATIONS, WORKS } from './applications.ts'
import { best, median } from './measure.ts'
import { BARE_REQUEST } from './bare-request.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    sets: { type: 'string' },
  },
})
/**
 * Number of process sets. V8 compiles the same code differently in each process, so one process can be slower than
 * another.
 */
const SETS = Number(values.sets ?? (values.quick ? 1 : 3))
/**
 * Duration of a turn. Short turns distribute other load on the machine over all candidates. Each turn is long enough
 * to include garbage collections.
 */
const TURN_MS = 40
const TURNS = values.quick ? 12 : 40
const WARM_UP_TURNS = values.quick ? 15 : 30

const NAMES = Object.keys(APPLICATIONS)
const OTHERS = new Set(NAMES.filter((name) => !name.startsWith('fw') && name !== BARE_REQUEST))

for (const { name: work, method, path } of WORKS) {
  if (!work.startsWith(values.only)) continue
  const sets: (readonly number[])[] = []
  for (let set = 0; set < SETS; set++) sets.push(await ratesOf(work))
  console.log(`\n${work}: ${method} ${path}`)
  const ratios = sets.map((rates) => {
    const others = Math.max(...rates.filter((_, i) => OTHERS.has(NAMES[i] ?? '')))
    return rates.map((rate) => rate / others)
  })
  for (const [i, name] of NAMES.entries()) {
    const rate = Math.round(median(sets.map((rates) => rates[i] ?? NaN))).toLocaleString('en')
    const each = ratios.map((ratio) => ratio[i] ?? NaN)
    const [middle, min, max] = [median(each), Math.min(...each), Math.max(...each)].map((ratio) => ratio.toFixed(2))
    console.log(`${name.padEnd(20)} ${rate.padStart(10)}/s  ${middle} (${min} – ${max})`)
  }
}

/** Starts one process per application and returns the rate of each application. The processes take turns. */
async function ratesOf(work: string): Promise<readonly number[]> {
  const processes = NAMES.map((name) => fork(new URL('response-process.ts', import.meta.url), [name, work]))
  try {
    await Promise.all(processes.map((each) => messageOf(each)))
    const turns = processes.map((): number[] => [])
    for (let turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
      for (const [i, each] of processes.entries()) {
        each.send(TURN_MS)
        const rate = await messageOf(each)
        if (turn >= 0) turns[i]?.push(Number(rate))
      }
    }
    return turns.map(best)
  } finally {
    for (const each of processes) each.kill()
  }
}

/** Returns the next message. @throws {Error} if the process exits first */
async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const onExit = (): void => ended.abort()
  child.once('exit', onExit)
  try {
    const [message] = (await once(child, 'message', { signal: ended.signal })) as [unknown]
    return message
  } finally {
    child.off('exit', onExit)
  }
}
