import { strict as assert } from 'node:assert'
import { parseArgs } from 'node:util'
import { load } from './load.ts'
import { ServerProcess } from './server-process.ts'

/** The first one is what the others are compared with. */
const SERVERS = ['fw', 'node-http', 'fastify'] as const

interface Round {
  readonly requestsPerSecond: number
  /** CPU time of the server for one request, in microseconds. */
  readonly cpuMicroseconds: number
}

/** One server under load once, after a warm-up, its answer checked first. */
async function round(name: string, seconds: number): Promise<Round> {
  await using server = await ServerProcess.start(name)
  const url = `http://127.0.0.1:${server.port}/`
  assert.equal(await (await fetch(url)).text(), 'hello world', `${name} does not answer as it should`)
  await load(url, 1)
  const before = await server.cpuSeconds()
  const { requests, requestsPerSecond } = await load(url, seconds)
  return { requestsPerSecond, cpuMicroseconds: (((await server.cpuSeconds()) - before) / requests) * 1e6 }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const [rounds, seconds] = values.quick ? [1, 1] : [5, 3]

// Alternating, so that what else the machine does falls on all alike.
const results = new Map<string, Round[]>(SERVERS.map((name) => [name, []]))
for (let i = 0; i < rounds; i++) {
  for (const name of SERVERS) results.get(name)?.push(await round(name, seconds))
}

const medians = SERVERS.map((name) => {
  const measured = results.get(name) ?? []
  return {
    name,
    rate: median(measured.map(({ requestsPerSecond }) => requestsPerSecond)),
    cpu: median(measured.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  }
})
const reference = medians.find(({ name }) => name === SERVERS[0])
process.stdout.write(`hello over HTTP/1.1, 32 connections, median of ${rounds} rounds of ${seconds} s\n\n`)
process.stdout.write('| server | requests/s | fw is | CPU µs/request |\n|---|---|---|---|\n')
for (const { name, rate, cpu } of medians) {
  const ratio = ((reference?.rate ?? NaN) / rate).toFixed(2)
  process.stdout.write(`| ${name} | ${Math.round(rate)} | ${ratio} × | ${cpu.toFixed(1)} |\n`)
}
