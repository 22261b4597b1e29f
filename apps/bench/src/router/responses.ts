// Routing, context and response without a socket, against other frameworks: node src/router/responses.ts [--quick] [--only param] [--casts 3]
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { APPLICATIONS, WORKS } from './applications.ts'
import { best, median } from './measure.ts'
import { REQUEST_ALONE } from './request-alone.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    casts: { type: 'string' },
  },
})
/** V8 does not compile the same code alike twice, so that one process is slower than the next for all of its life. */
const CASTS = Number(values.casts ?? (values.quick ? 1 : 3))
/** Short turns, and many: whatever else the machine does meets all candidates alike. Long enough for collections to fall into each. */
const TURN_MS = 40
const TURNS = values.quick ? 12 : 40
const WARM_UP_TURNS = values.quick ? 15 : 30

const NAMES = Object.keys(APPLICATIONS)
const OTHERS = new Set(NAMES.filter((name) => !name.startsWith('fw') && name !== REQUEST_ALONE))

for (const { name: work, method, path } of WORKS) {
  if (!work.startsWith(values.only)) continue
  const casts: (readonly number[])[] = []
  for (let cast = 0; cast < CASTS; cast++) casts.push(await ratesOf(work))
  console.log(`\n${work}: ${method} ${path}`)
  const ratios = casts.map((rates) => {
    const others = Math.max(...rates.filter((_, i) => OTHERS.has(NAMES[i] ?? '')))
    return rates.map((rate) => rate / others)
  })
  for (const [i, name] of NAMES.entries()) {
    const rate = Math.round(median(casts.map((rates) => rates[i] ?? NaN))).toLocaleString('en')
    const each = ratios.map((ratio) => ratio[i] ?? NaN)
    const [middle, least, most] = [median(each), Math.min(...each), Math.max(...each)].map((ratio) => ratio.toFixed(2))
    console.log(`${name.padEnd(20)} ${rate.padStart(10)}/s  ${middle} (${least} – ${most})`)
  }
}

/** The rate of each application in a process of its own, started for this; they take turns. */
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

/** @throws {Error} if the process ends instead */
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
