/**
 * Compares the fan-out of one event to many idle HTTP/1.1 streams: processor time of the server for each delivered
 * event, and its memory for each open stream. The servers take turns, so that a busy machine is busy for all of them.
 *
 * `node apps/bench/src/sse/main.ts [streams] [rounds] [servers…]`, with a limit of open files (`ulimit -n`) above the
 * streams; all servers unless some are named.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Usage } from './serve.ts'

const SERVERS: Readonly<Record<string, URL>> = {
  net: new URL('./servers/net.ts', import.meta.url),
  fw: new URL('./servers/fw.ts', import.meta.url),
  'better-sse': new URL('./servers/better-sse.ts', import.meta.url),
  hono: new URL('./servers/hono.ts', import.meta.url),
}
const CLIENTS = new URL('./clients.ts', import.meta.url)
const [streamsText = '1000', roundsText = '7', ...names] = process.argv.slice(2)
const streams = Number(streamsText)
const rounds = Number(roundsText)
/** Events delivered in one measurement, about. */
const DELIVERIES = 40_000
/** Broadcasts in one turn. */
const BURSTS = [1, 4]

interface Running {
  readonly name: string
  readonly server: ChildProcess
  readonly clients: ChildProcess
  /** Memory of the process before the first stream. */
  readonly emptyBytes: number
  /** KiB a stream as soon as all are open. */
  readonly opened: number
  /** KiB a stream after a while without traffic. */
  settled: number
  readonly micros: Map<number, number[]>
}

const running: Running[] = []
for (const [name, program] of Object.entries(SERVERS)) {
  if (names.length === 0 || names.includes(name)) running.push(await start(name, program))
}
await settle()
for (const one of running) for (const burst of BURSTS) await measure(one, burst)
for (let round = 0; round < rounds; round++) {
  for (const one of running) {
    for (const burst of BURSTS) one.micros.get(burst)?.push(await measure(one, burst))
  }
}
const [limit] = running
console.log(`${streams} streams, ${rounds} rounds, medians; Node ${process.version}`)
for (const { name, opened, settled, micros } of running) {
  const figures = BURSTS.map((burst) => {
    const own = micros.get(burst) ?? []
    const ratios = own.map((value, at) => value / (limit?.micros.get(burst)?.[at] ?? Number.NaN))
    return `${burst} a turn: ${median(own).toFixed(2)} µs an event, ${median(ratios).toFixed(2)} of net`
  })
  console.log(
    `${name.padEnd(10)}  ${figures.join(';  ')};  KiB a stream: ${opened.toFixed(1)}, at rest ${settled.toFixed(1)}`,
  )
}
for (const { server, clients } of running) {
  clients.kill('SIGKILL')
  server.kill('SIGKILL')
}

async function start(name: string, program: URL): Promise<Running> {
  const server = fork(program, { execArgv: ['--expose-gc'] })
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  server.send('collect')
  const before = await usage(server)
  const clients = fork(CLIENTS, [String(port), String(streams)])
  await once(clients, 'message')
  await delay(500)
  server.send('collect')
  const after = await usage(server)
  return {
    name,
    server,
    clients,
    emptyBytes: before.rssBytes,
    opened: kibibytes(after.rssBytes - before.rssBytes),
    settled: Number.NaN,
    micros: new Map(BURSTS.map((burst) => [burst, []])),
  }
}

/**
 * Lets V8 give back what it took while the streams opened: its young generation, up to 64 MiB whatever the number of
 * streams, shrinks at the second collection of an idle process, and its pages are kept for some seconds more.
 */
async function settle(): Promise<void> {
  for (const pauseMs of [10_000, 10_000, 13_000]) {
    await delay(pauseMs)
    for (const { server } of running) server.send('collect')
  }
  for (const one of running) one.settled = kibibytes((await usage(one.server)).rssBytes - one.emptyBytes)
}

function kibibytes(bytes: number): number {
  return bytes / streams / 1024
}

/** @returns Microseconds of processor time for each delivered event */
async function measure({ server, clients }: Running, burst: number): Promise<number> {
  const broadcasts = Math.max(3, Math.round(DELIVERIES / streams / burst))
  const before = await usage(server)
  for (let n = 0; n < broadcasts; n++) {
    const received = once(clients, 'message')
    clients.send(streams * burst)
    server.send(burst)
    await received
  }
  const after = await usage(server)
  return (after.cpuMicros - before.cpuMicros) / (broadcasts * burst * streams)
}

async function usage(server: ChildProcess): Promise<Usage> {
  const answer = once(server, 'message')
  server.send('usage')
  const [message] = (await answer) as [{ usage: Usage }]
  return message.usage
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
