// Static files over HTTP/1.1 against other servers: node src/static/main.ts [--quick] [--only fw,hello] [--work 1k]
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { Peer } from './peer.ts'

interface Work {
  readonly name: string
  readonly file: string
  readonly bytes: number
  readonly connections: number
  /** Whether the client says that it has the file. */
  readonly isConditional: boolean
}

interface Round {
  readonly requestsPerSecond: number
  /** CPU time of the server for one request, in microseconds. */
  readonly cpuMicroseconds: number
}

const KIB = 1024
const WORKS: readonly Work[] = [
  { name: '1 KiB', file: '1k.css', bytes: KIB, connections: 64, isConditional: false },
  { name: '64 KiB', file: '64k.css', bytes: 64 * KIB, connections: 64, isConditional: false },
  { name: '304', file: '1k.css', bytes: KIB, connections: 64, isConditional: true },
  { name: '10 MiB', file: '10m.bin', bytes: 10 * KIB * KIB, connections: 16, isConditional: false },
]
/** The first one is what the others are compared with. */
const SERVERS = ['fw', 'hello', 'sirv', 'fastify-static', 'send', 'pipe', 'nginx']
/** Answers no conditions, so that it has nothing to do with 304. */
const UNCONDITIONAL = 'pipe'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    work: { type: 'string', default: '' },
    rounds: { type: 'string' },
  },
})
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5))
const seconds = values.quick ? 1 : 3
const servers = values.only?.split(',') ?? SERVERS

const scratch = await mkdtemp(join(tmpdir(), 'fw-bench-'))
const directory = join(scratch, 'files')
try {
  await promisify(execFile)('mkdir', [directory])
  for (const { file, bytes } of WORKS) {
    await writeFile(join(directory, file), randomBytes(bytes))
    await utimes(join(directory, file), 1.7e9, 1.7e9)
  }
  for (const work of WORKS) if (work.name.startsWith(values.work)) await compare(work)
} finally {
  await rm(scratch, { recursive: true, force: true })
}

async function compare(work: Work): Promise<void> {
  const names = servers.filter((name) => !(work.isConditional && name === UNCONDITIONAL))
  const results = new Map<string, Round[]>(names.map((name) => [name, []]))
  // Alternating, so that what else the machine does falls on all alike.
  for (let i = 0; i < rounds; i++) for (const name of names) results.get(name)?.push(await round(name, work))

  const medianOf = (name: string, key: keyof Round): number => median((results.get(name) ?? []).map((one) => one[key]))
  /** How much more CPU than the first server, round by round. */
  const ratioOf = (name: string): number =>
    median(
      (results.get(name) ?? []).map(
        (one, i) => one.cpuMicroseconds / (results.get(names[0] ?? '')?.[i]?.cpuMicroseconds ?? NaN),
      ),
    )
  const lines = names.map((name) => {
    const rate = medianOf(name, 'requestsPerSecond')
    const mib = (rate * work.bytes) / KIB / KIB
    const cells = [name, Math.round(rate), work.isConditional ? '' : Math.round(mib)]
    return `| ${[...cells, medianOf(name, 'cpuMicroseconds').toFixed(1), ratioOf(name).toFixed(2)].join(' | ')} |\n`
  })
  process.stdout.write(
    `\n${work.name}, ${work.connections} connections, median of ${rounds} rounds of ${seconds} s\n\n` +
      `| server | requests/s | MiB/s | CPU µs/request | CPU of ${names[0]} × |\n|---|---|---|---|---|\n${lines.join('')}`,
  )
}

/** One server under load once, after a warm-up, its answer checked first. */
async function round(name: string, work: Work): Promise<Round> {
  await using server = await Peer.start(name, directory, scratch)
  const url = `http://127.0.0.1:${server.port}/${work.file}`
  const answer = await fetch(url)
  const { byteLength } = await answer.arrayBuffer()
  if (answer.status !== 200 || byteLength !== work.bytes) throw new Error(`${name} does not answer as it should`)
  const etag = work.isConditional ? (answer.headers.get('etag') ?? '') : undefined
  await warmUp(url, work, etag)
  const before = await server.cpuSeconds()
  const { requests, requestsPerSecond } = await load(url, seconds, work, etag)
  return { requestsPerSecond, cpuMicroseconds: (((await server.cpuSeconds()) - before) / requests) * 1e6 }
}

/** Until compilers are done with what is hot, which is a matter of requests rather than of time. */
async function warmUp(url: string, work: Work, etag: string | undefined): Promise<void> {
  const wanted = work.bytes > KIB * KIB ? 100 : 20_000
  for (let done = 0, runs = 0; done < wanted && runs < 8; runs++) done += (await load(url, 1, work, etag)).requests
}

/** Loads an address with `wrk` on the second processor. */
async function load(
  url: string,
  duration: number,
  { connections }: Work,
  etag: string | undefined,
): Promise<{ readonly requests: number; readonly requestsPerSecond: number }> {
  const condition = etag === undefined ? [] : ['-H', `If-None-Match: ${etag}`]
  const args = ['-c', '1', 'wrk', '-t1', `-c${connections}`, `-d${duration}s`, ...condition, url]
  const { stdout } = await promisify(execFile)('taskset', args)
  const failures = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout)
  if (failures !== null) throw new Error(`The server failed under load: ${failures[0]}`)
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
  }
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
