// Compares the latency of a route without files while staticFiles reads from a slow and a fast disk. Usage: node
// src/static/slow-disk.ts [rounds]
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

/** Duration of each file system call in the alternating rounds. The first entry is the control. */
const DISKS_MS = [0, 5] as const
const FILES = 120
const MOUNTS = 3
const CONNECTIONS = 40
const ROUND_MS = 4000
/** Pause between two requests for the route without files. */
const PING_MS = 2
/** Maximum additional latency of the route without files, compared with a fast disk. */
const TARGET_MS = 50

interface Round {
  readonly medianMs: number
  readonly p99Ms: number
  readonly longestMs: number
  readonly files: number
  /** Number of file system calls on the event loop. */
  readonly blockingCalls: number
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
  const program = fileURLToPath(new URL('servers/fw-mounts.ts', import.meta.url))
  const counter = `${library}.calls`
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
  // Warm up, so that the figures exclude V8's compilation.
  for (let i = 0; i < 500; i++) await ping(port, agent)
  const options: SlowDiskLoad = { port, paths, connections: CONNECTIONS }
  const load = fork(new URL('slow-disk-load.ts', import.meta.url), [JSON.stringify(options)])
  const waits: number[] = []
  for (const endMs = performance.now() + ROUND_MS; performance.now() < endMs; await delay(PING_MS)) {
    waits.push(await ping(port, agent))
  }
  const stopped = once(load, 'message')
  load.send('stop')
  const [files] = (await stopped) as [number]
  agent.destroy()
  const sorted = waits.toSorted((a, b) => a - b)
  const blockingCalls = Number((await readFile(counter)).readBigInt64LE())
  return {
    medianMs: median(sorted),
    p99Ms: percentile(sorted, 0.99),
    longestMs: sorted.at(-1) ?? NaN,
    files,
    blockingCalls,
  }
}

/** Requests the route without files. @returns milliseconds from the request to the end of the response */
async function ping(port: number, agent: Agent): Promise<number> {
  const startMs = performance.now()
  const request = get({ port, host: '127.0.0.1', path: '/other', agent })
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
  await once(response.resume(), 'end')
  return performance.now() - startMs
}

function report(rounds: ReadonlyMap<number, readonly Round[]>): void {
  process.stdout.write(
    'disk latency   other route: median   p99   longest (each round)   files/s   blocking calls on the event loop\n',
  )
  const longest: number[] = []
  for (const [diskMs, measured] of rounds) {
    const of = (key: keyof Round): number => median(measured.map((round) => round[key]))
    const each = measured.map(({ longestMs }) => longestMs.toFixed(1)).join(' ')
    longest.push(of('longestMs'))
    const figures = [of('medianMs'), of('p99Ms'), of('longestMs')].map((ms) => ms.toFixed(2)).join('   ')
    const filesPerSecond = Math.round((of('files') * 1000) / ROUND_MS)
    process.stdout.write(
      `${diskMs} ms   ${figures} ms (${each})   ${filesPerSecond}   ${diskMs === 0 ? 'all' : of('blockingCalls')}\n`,
    )
  }
  const [control = NaN, slow = NaN] = longest
  const verdict = slow - control <= TARGET_MS ? 'met' : 'missed'
  process.stdout.write(
    `Additional latency: ${(slow - control).toFixed(1)} ms; target of at most ${TARGET_MS} ms ${verdict}\n`,
  )
}
