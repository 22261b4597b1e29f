// Measures the CPU time that an access log adds to a request over sockets: node src/access-log/over-sockets.ts [rounds]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { BROWSER_HEADERS } from '../http/requests.ts'
import type { ServerProcess } from '../server-process.ts'
import { median } from '../statistics.ts'
import { KeepAliveConnections } from './keep-alive-connections.ts'
import { ACCESS_LOG_PEERS } from './peers.ts'
import { BASES } from './scenarios.ts'

const CONNECTIONS = 32
/** Number of requests per connection and turn. */
const REQUESTS = 60
/** Number of requests per connection until V8 has compiled the server's code. */
const WARM_UP_REQUESTS = 1500
/** Milliseconds to wait for the log. Longer than any logger buffers its lines. */
const WRITTEN_MS = 150

const FIELDS = Object.entries({ host: 'localhost', ...BROWSER_HEADERS })
const REQUEST = `GET /users/7?page=2 HTTP/1.1\r\n${FIELDS.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`

/** Returns the CPU time of all server threads per request, in microseconds. */
async function costOf(server: ServerProcess, requests: number): Promise<number> {
  using connections = await KeepAliveConnections.open(server.port, REQUEST, CONNECTIONS)
  const before = (await server.ask('cpu')) as NodeJS.CpuUsage
  await connections.repeat(requests)
  await delay(WRITTEN_MS)
  const after = (await server.ask('cpu')) as NodeJS.CpuUsage
  return (after.user + after.system - before.user - before.system) / (CONNECTIONS * requests)
}

const rounds = Number(process.argv[2] ?? 30)
const folder = await mkdtemp(join(tmpdir(), 'access-log-'))
await using servers = new AsyncDisposableStack()
servers.defer(() => rm(folder, { recursive: true }))
const candidates: { name: string; server: ServerProcess; costs: number[] }[] = []
for (const peer of ACCESS_LOG_PEERS) {
  const server = await peer.start({ accessLogFile: join(folder, peer.name) }, folder)
  candidates.push({ name: peer.name, server: servers.use(server), costs: [] })
}
for (const { server } of candidates) await costOf(server, WARM_UP_REQUESTS)
for (let round = 0; round < rounds; round++) {
  for (const { server, costs } of candidates) costs.push(await costOf(server, REQUESTS))
}

const costsOf = (name: string): readonly number[] =>
  candidates.find((candidate) => candidate.name === name)?.costs ?? []
const micros = (value: number): string => value.toFixed(2).padStart(6)
process.stdout.write(`CPU µs per request, ${rounds} rounds; added: compared with the same server without a log\n`)
for (const { name, costs } of candidates) {
  let line = `${name.padEnd(18)} min ${micros(Math.min(...costs))}, median ${micros(median(costs))}`
  const base = costsOf(BASES[name] ?? '')
  if (base.length > 0) {
    const added = costs.map((cost, round) => cost - (base[round] ?? Number.NaN))
    line += `; added: min ${micros(Math.min(...costs) - Math.min(...base))}, median ${micros(median(added))}`
  }
  process.stdout.write(`${line}\n`)
}
