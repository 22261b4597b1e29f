// What an access log costs, over HTTP/1.1, against others: node src/access-log/main.ts [--quick] [--rounds 9] [--only fw,fw-combined]
import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { CANDIDATES, serve } from './candidates.ts'
import { LoggingServer } from './logging-server.ts'

interface Round {
  readonly requestsPerSecond: number
  /** CPU time of the server, all threads, for one request in microseconds. */
  readonly cpuMicroseconds: number
}

/** What a browser sends, without its cookies. */
const HEADERS = [
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language: en-US,en;q=0.5',
  'Accept-Encoding: gzip, deflate, br, zstd',
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' }, only: { type: 'string' } },
})
// The servers are this program too, in processes of their own.
if (positionals[0] === 'serve') await serve(positionals[1] ?? '', positionals[2] ?? '')
else await compare(Number(values.rounds ?? (values.quick ? 1 : 9)), values.quick ? 1 : 2)

async function compare(rounds: number, seconds: number): Promise<void> {
  const wanted = values.only?.split(',')
  const names = Object.keys(CANDIDATES).filter((name) => wanted?.includes(name) ?? true)
  const folder = await mkdtemp(join(tmpdir(), 'fw-bench-'))
  const servers: LoggingServer[] = []
  try {
    for (const name of names) servers.push(await LoggingServer.start(import.meta.filename, name, join(folder, name)))
    const results = new Map<string, Round[]>(names.map((name) => [name, []]))
    for (const server of servers) await load(server, 1)
    // Alternating, so that what else the machine does falls on all alike.
    for (let i = 0; i < rounds; i++) {
      for (const server of servers) results.get(server.name)?.push(await round(server, seconds))
    }
    print(results, rounds, seconds)
    for (const server of servers) await checkLog(server)
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
}

async function round(server: LoggingServer, seconds: number): Promise<Round> {
  const before = await server.cpuMicroseconds()
  const { requests, requestsPerSecond } = await load(server, seconds)
  return { requestsPerSecond, cpuMicroseconds: ((await server.cpuMicroseconds()) - before) / requests }
}

/** Loads a server with `wrk` from 32 keep-alive connections on one thread. */
async function load(server: LoggingServer, seconds: number): Promise<{ requests: number; requestsPerSecond: number }> {
  const options = ['-t1', '-c32', `-d${seconds}s`, ...HEADERS.flatMap((header) => ['-H', header])]
  const { stdout } = await promisify(execFile)('wrk', [...options, `http://127.0.0.1:${server.port}/users/7?page=2`])
  assert(!/Non-2xx|Socket errors/.test(stdout), `${server.name} failed under load:\n${stdout}`)
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  server.requests += requests
  return { requests, requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]) }
}

/** A log that leaves entries out is no log: as many lines as there were requests, but for those cut off by `wrk`. */
async function checkLog(server: LoggingServer): Promise<void> {
  const { linesPerRequest } = CANDIDATES[server.name] ?? { linesPerRequest: 0 }
  if (linesPerRequest === 0) return
  await server.stop()
  const lines = (await readFile(server.logPath, 'latin1')).split('\n').length - 1
  const share = lines / (server.requests * linesPerRequest)
  process.stdout.write(`${server.name}: ${lines} lines for ${server.requests} requests\n`)
  assert(share > 0.99, `${server.name} logged ${lines} lines for ${server.requests} requests`)
}

function print(results: ReadonlyMap<string, readonly Round[]>, rounds: number, seconds: number): void {
  process.stdout.write(`Node ${process.version}, 32 connections, median of ${rounds} rounds of ${seconds} s\n\n`)
  process.stdout.write('| server | requests/s | CPU µs/request | added by the log |\n|---|---|---|---|\n')
  for (const [name, measured] of results) {
    const base = results.get(CANDIDATES[name]?.base ?? '') ?? measured
    const cpu = measured.map(({ cpuMicroseconds }) => cpuMicroseconds)
    const added = cpu.map((value, i) => value - (base[i]?.cpuMicroseconds ?? NaN))
    const rate = median(measured.map(({ requestsPerSecond }) => requestsPerSecond))
    const last = base === measured ? '' : `+${median(added).toFixed(2)}`
    process.stdout.write(`| ${name} | ${Math.round(rate)} | ${median(cpu).toFixed(2)} | ${last} |\n`)
  }
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
