// How long another route waits while files come from a slow disk, beside a quick one: node src/static/slow-disk.ts [rounds]
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findProgram, requirePrograms } from '../programs.ts'
import { ServerProcess } from '../server-process.ts'
import { median, percentile } from '../statistics.ts'
import type { SlowDiskLoad } from './slow-disk-load.ts'

/** What each look at a file takes, by turns; the first is the control. */
const DISKS_MS = [0, 5] as const
const FILES = 120
const MOUNTS = 3
const CONNECTIONS = 40
const ROUND_MS = 4000
/** Between two requests for the other route. */
const PING_MS = 2
/** What no other route is to wait beyond what it does beside a quick disk. */
const TARGET_MS = 50

interface Round {
  readonly medianMs: number
  readonly p99Ms: number
  readonly longestMs: number
  readonly files: number
  /** How often the event loop waited for a look, whatever else the machine did. */
  readonly looks: number
}

requirePrograms(['g++'])
const scratch = await mkdtemp(join(tmpdir(), 'fw-slow-disk-'))
try {
  const names = Array.from({ length: FILES }, (_, i) => `${i}.txt`)
  const directory = await mkdtemp(join(scratch, 'files-'))
  for (const name of names) await writeFile(join(directory, name), name)
  const library = join(scratch, 'slow-disk.so')
  const source = fileURLToPath(new URL('slow-disk.cpp', import.meta.url))
  await promisify(execFile)(findProgram('g++') ?? 'g++', ['-O2', '-shared', '-fPIC', source, '-o', library, '-ldl'])
  const paths = names.map((name, i) => `/${i % MOUNTS}/${name}`)
  const rounds = new Map<number, Round[]>(DISKS_MS.map((diskMs) => [diskMs, []]))
  for (let round = Number(process.argv[2] ?? 5); round > 0; round--) {
    for (const diskMs of DISKS_MS) rounds.get(diskMs)?.push(await measure(library, directory, diskMs, paths))
  }
  report(rounds)
} finally {
  await rm(scratch, { recursive: true, force: true })
}

async function measure(library: string, directory: string, diskMs: number, paths: readonly string[]): Promise<Round> {
  const program = fileURLToPath(new URL('servers/fw-beside.ts', import.meta.url))
  const counter = `${library}.looks`
  await writeFile(counter, new BigInt64Array(1))
  const variables = {
    LD_PRELOAD: library,
    FW_SLOW_DIRECTORY: `${directory}/`,
    FW_SLOW_MS: diskMs,
    FW_SLOW_REPORT: counter,
  }
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const command = ['env', ...assignments, process.execPath, program, JSON.stringify({ directory })]
  await using server = await ServerProcess.program(command)
  const { port } = server
  const agent = new Agent({ keepAlive: true })
  // What a new process compiles with its first requests is not what the disk takes.
  for (let i = 0; i < 500; i++) await ping(port, agent)
  const asked: SlowDiskLoad = { port, paths, connections: CONNECTIONS }
  const load = fork(new URL('slow-disk-load.ts', import.meta.url), [JSON.stringify(asked)])
  const waits: number[] = []
  for (const endMs = performance.now() + ROUND_MS; performance.now() < endMs; await delay(PING_MS)) {
    waits.push(await ping(port, agent))
  }
  const stopped = once(load, 'message')
  load.send('stop')
  const [files] = (await stopped) as [number]
  agent.destroy()
  const sorted = waits.toSorted((a, b) => a - b)
  const looks = Number((await readFile(counter)).readBigInt64LE())
  return { medianMs: median(sorted), p99Ms: percentile(sorted, 0.99), longestMs: sorted.at(-1) ?? NaN, files, looks }
}

/** @returns Milliseconds from the request to the end of the response */
async function ping(port: number, agent: Agent): Promise<number> {
  const startMs = performance.now()
  const request = get({ port, host: '127.0.0.1', path: '/other', agent })
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
  await once(response.resume(), 'end')
  return performance.now() - startMs
}

function report(rounds: ReadonlyMap<number, readonly Round[]>): void {
  process.stdout.write(
    'a look takes   other route: median   p99   longest (of the rounds)   files/s   looks on the event loop\n',
  )
  const longest: number[] = []
  for (const [diskMs, measured] of rounds) {
    const of = (key: keyof Round): number => median(measured.map((round) => round[key]))
    const each = measured.map(({ longestMs }) => longestMs.toFixed(1)).join(' ')
    longest.push(of('longestMs'))
    const figures = [of('medianMs'), of('p99Ms'), of('longestMs')].map((ms) => ms.toFixed(2)).join('   ')
    const filesPerSecond = Math.round((of('files') * 1000) / ROUND_MS)
    process.stdout.write(
      `${diskMs} ms   ${figures} ms (${each})   ${filesPerSecond}   ${diskMs === 0 ? 'all' : of('looks')}\n`,
    )
  }
  const [control = NaN, slow = NaN] = longest
  const verdict = slow - control <= TARGET_MS ? 'holds' : 'is missed'
  process.stdout.write(
    `At most ${TARGET_MS} ms more than beside a quick disk: ${(slow - control).toFixed(1)}, ${verdict}\n`,
  )
}
