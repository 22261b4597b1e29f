import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Measurement } from '../comparison.ts'
import { LOAD_PROCESSOR, onProcessor } from '../processors.ts'
import type { Run } from '../run.ts'
import { ServerProcess } from '../server-process.ts'
import { percentile } from '../statistics.ts'
import type { Usage } from './serve.ts'

const CLIENTS = fileURLToPath(new URL('./clients.ts', import.meta.url))

/** Events to each stream in one measurement, so that it is not over in half a second with 10,000 streams. */
const FEWEST_EVENTS = 12
/** Those of the warm-up. */
const FEWEST_AT_FIRST = 4

/**
 * One round: opens the streams, warms up, broadcasts events one by one and four at once.
 *
 * @param deliveries Events that arrive in one measurement, about; more if there are many streams
 */
export async function measureFanOut(
  name: string,
  streams: number,
  run: Run,
  deliveries = 40_000,
): Promise<Measurement> {
  const program = fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url))
  await using server = await ServerProcess.program([process.execPath, '--expose-gc', program])
  server.tell('collect')
  const before = await usageOf(server)
  using clients = openStreams(server.port, streams)
  await once(clients.child, 'message')
  await delay(run.isQuick ? 100 : 500)
  server.tell('collect')
  const { rssBytes } = await usageOf(server)
  const measure = (burst: number, fewest: number): Promise<number> => {
    const events = Math.max(run.isQuick ? 4 : fewest, deliveries / streams)
    return broadcast(server, clients.child, streams, burst, Math.round(events / burst))
  }
  await measure(1, FEWEST_AT_FIRST)
  return {
    streamKib: (rssBytes - before.rssBytes) / streams / 1024,
    eventMicros: await measure(1, FEWEST_EVENTS),
    burstMicros: await measure(4, FEWEST_EVENTS),
  }
}

/**
 * Pauses before collections. V8 shrinks its young generation in a process that was idle between two of them, and gives
 * the memory back at the next.
 */
const REST_PAUSES_MS = [500, 9500, 10_000, 13_000]

/** One round: opens the streams, and looks at the memory of the server when nothing has happened for a while. */
export async function measureRest(name: string, streams: number, run: Run): Promise<Measurement> {
  const program = fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url))
  await using server = await ServerProcess.program([process.execPath, '--expose-gc', program])
  server.tell('collect')
  const before = await usageOf(server)
  using clients = openStreams(server.port, streams)
  await once(clients.child, 'message')
  for (const pauseMs of run.isQuick ? [200] : REST_PAUSES_MS) {
    await delay(pauseMs)
    server.tell('collect')
  }
  return { streamKib: ((await usageOf(server)).rssBytes - before.rssBytes) / streams / 1024 }
}

/** A process with many streams on the processor of the load; leaving the scope ends it. */
function openStreams(port: number, streams: number): Disposable & { readonly child: ChildProcess } {
  const [taskset, ...words] = onProcessor(LOAD_PROCESSOR)
  const options = taskset === undefined ? {} : { execPath: taskset, execArgv: [...words, process.execPath] }
  const child = fork(CLIENTS, [String(port), String(streams)], options)
  return { child, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

/** What else the machine does, which shares caches and memory, only ever adds to the cost: one broadcast in ten is free of it. */
const UNDISTURBED = 0.1

/**
 * Sends events and waits until every client has every one of them.
 *
 * @param burst Events in one turn
 * @returns Microseconds of processor time for each delivered event, which one broadcast in ten does not exceed
 */
async function broadcast(
  server: ServerProcess,
  clients: ChildProcess,
  streams: number,
  burst: number,
  broadcasts: number,
): Promise<number> {
  const costs: number[] = []
  let before = await usageOf(server)
  for (let n = 0; n < broadcasts; n++) {
    const received = once(clients, 'message')
    clients.send(streams * burst)
    server.tell(burst)
    await received
    const after = await usageOf(server)
    costs.push(after.cpuMicros - before.cpuMicros)
    before = after
  }
  const sorted = costs.toSorted((a, b) => a - b)
  return percentile(sorted, UNDISTURBED) / (burst * streams)
}

async function usageOf(server: ServerProcess): Promise<Usage> {
  const { usage } = (await server.ask('usage')) as { readonly usage: Usage }
  return usage
}
