// Routing, context and answer without a socket, against other frameworks: node src/router/answers.ts [--quick] [--only param]
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { APPLICATIONS, WORKS } from './applications.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
})
// Short turns, and many: whatever else the machine does meets all of them alike.
const ROUNDS = values.quick ? 10 : 80
const WARM_UP_ROUNDS = values.quick ? 20 : 40
const TURN_MS = 25

for (const { name: work, method, path } of WORKS) {
  if (!work.startsWith(values.only)) continue
  // Each in a thread of its own: what V8 has learned about code from one would slow down the others.
  const threads = Object.keys(APPLICATIONS).map((name) => ({
    name,
    rates: [] as number[],
    worker: new Worker(new URL('answer-thread.ts', import.meta.url), { workerData: { name, work } }),
  }))
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const { worker, rates } of threads) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a thread, and no window
      worker.postMessage(TURN_MS)
      const [rate] = (await once(worker, 'message')) as [number]
      if (round >= 0) rates.push(rate)
    }
  }
  await Promise.all(threads.map(({ worker }) => worker.terminate()))
  console.log(`\n${work}: ${method} ${path}`)
  const others = Math.max(...threads.map(({ name, rates }) => (name.startsWith('fw') ? 0 : median(rates))))
  for (const { name, rates } of threads) {
    const rate = median(rates)
    console.log(
      `${name.padEnd(20)} ${Math.round(rate).toLocaleString('en').padStart(10)}/s  ${(rate / others).toFixed(2)}`,
    )
  }
}
