import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { watchStolenTime } from '@fw/testing/stolen-time'
import type { TargetState } from './target-state.ts'

/** Measurements of a server under attack. */
export interface Endurance {
  /** Maximum growth of resident memory in bytes. */
  readonly grownBytes: number
  /** Duration of each request from a well-behaved client in milliseconds, in ascending order. */
  readonly latenciesMs: readonly number[]
  /** The durations of the requests on new connections. */
  readonly newLatenciesMs: readonly number[]
  /** The durations of the requests on reused connections. */
  readonly keptLatenciesMs: readonly number[]
  /** CPU time of event-loop turns in milliseconds, in ascending order. */
  readonly turnsMs: readonly number[]
  /** Number of the well-behaved client's requests that did not receive status 200. */
  readonly failures: number
  /** Duration of each request before the attack in milliseconds, in ascending order. */
  readonly quietLatenciesMs: readonly number[]
  /**
   * The server's CPU time between each request and its response, in milliseconds, in ascending order. On a busy
   * machine, requests take longer, but this value hardly changes.
   */
  readonly serverCpuMs: readonly number[]
  /** Maximum number of bytes that the server buffered for its clients. */
  readonly bufferedBytes: number
  /** The limit for these bytes. */
  readonly bufferLimitBytes: number
  /** Growth of live objects and buffers in bytes, measured after garbage collection. */
  readonly retainedBytes: number
  /** Maximum number of bodies that handlers created in one turn of the event loop, since the well-behaved client started. */
  readonly maxBodiesPerTurn: number
  /** Share of the CPU time that other guests on the host used during the attack. */
  readonly stolenShare: number
}

/** Server program with a small heap, for attacks on memory. */
const MEMORY_TARGET = 'memory-target.ts'
const HEAP_MIB = 512
/** Maximum heap of that program in bytes. */
export const HEAP_BYTES = HEAP_MIB * 2 ** 20

/**
 * Number of new bodies per second at which the first burst has ended. The server allows fewer after it has detected the
 * attack.
 */
const MAX_BODIES_PER_SECOND = 40

/** The server's program: this project's, or a bare one. */
export type TargetName = 'target.ts' | 'bare-target.ts' | typeof MEMORY_TARGET

/** Requests per second from the well-behaved client. */
const REQUESTS_PER_SECOND = 50

/**
 * Attacks a server in a separate process while a well-behaved client uses it.
 *
 * @param settleSeconds Minimum seconds of the attack before the client starts. The client waits until the first burst
 * of bodies has ended. Memory is measured from the beginning
 */
export async function underAttack(
  name: string,
  connections: number,
  seconds: number,
  settleSeconds: number,
  targetName: TargetName = 'target.ts',
): Promise<Endurance> {
  const target = start(targetName)
  try {
    const [{ port }] = (await once(target, 'message')) as [{ port: number }]
    // Warm up, so that the first requests do not count as growth.
    await visit(target, port, 1)
    const { latenciesMs: quietLatenciesMs } = await visit(target, port, 1)
    const { rssBytes: before, retainedBytes: retainedBefore } = await ask(target, 'collect')
    const attacker = start('attacker.ts', name, String(port), String(connections))
    try {
      // A real attacker has its own machine. Here the attacker receives only the CPU time that the server and the
      // client do not use.
      if (attacker.pid !== undefined) setPriority(attacker.pid, constants.priority.PRIORITY_BELOW_NORMAL)
      let [grownBytes, bufferedBytes, bufferLimitBytes, bodies, maxBodiesPerTurn] = [0, 0, 0, 0, 0]
      const turnsMs: number[] = []
      const watch = async (forSeconds: number): Promise<void> => {
        for (const until = performance.now() + forSeconds * 1000; performance.now() < until; await sleep(200)) {
          const state = await ask(target)
          grownBytes = Math.max(grownBytes, state.rssBytes - before)
          bufferedBytes = Math.max(bufferedBytes, state.maxBufferedBytes)
          ;({ bufferLimitBytes } = state)
          maxBodiesPerTurn = Math.max(maxBodiesPerTurn, state.maxBodiesPerTurn)
          turnsMs.push(...state.turnsMs)
          bodies = state.bodies
        }
      }
      const opened = once(attacker, 'message')
      await watch(settleSeconds)
      await opened
      // The handlers of the first requests can run for seconds.
      for (let earlier = -Infinity; bodies - earlier > MAX_BODIES_PER_SECOND;) {
        earlier = bodies
        if (targetName === MEMORY_TARGET) await watch(1)
      }
      const stolenShare = watchStolenTime()
      const visiting = visit(target, port, seconds)
      maxBodiesPerTurn = 0
      await watch(seconds)
      const { retainedBytes } = await ask(target, 'collect')
      return {
        ...(await visiting),
        quietLatenciesMs,
        grownBytes,
        bufferedBytes,
        bufferLimitBytes,
        retainedBytes: retainedBytes - retainedBefore,
        maxBodiesPerTurn,
        turnsMs: turnsMs.sort(ascending),
        stolenShare: stolenShare(),
      }
    } finally {
      await end(attacker)
    }
  } finally {
    await end(target)
  }
}

/** Sends requests at a constant rate, every tenth one on a new connection. */
async function visit(
  { pid }: ChildProcess,
  port: number,
  seconds: number,
): Promise<Pick<Endurance, 'latenciesMs' | 'newLatenciesMs' | 'keptLatenciesMs' | 'serverCpuMs' | 'failures'>> {
  const agent = new Agent({ keepAlive: true })
  const newLatenciesMs: number[] = []
  const keptLatenciesMs: number[] = []
  const serverCpuMs: number[] = []
  let failures = 0
  const visits: Promise<void>[] = []
  for (let i = 0; i < seconds * REQUESTS_PER_SECOND; i++) {
    const [started, startedCpuMs] = [performance.now(), cpuMsOf(pid)]
    const isNew = i % 10 === 0
    visits.push(
      requestOnce(port, isNew ? undefined : agent).then(
        (status) => {
          const latencyMs = performance.now() - started
          serverCpuMs.push(cpuMsOf(pid) - startedCpuMs)
          if (isNew) newLatenciesMs.push(latencyMs)
          else keptLatenciesMs.push(latencyMs)
          if (status !== 200) failures++
        },
        () => void failures++,
      ),
    )
    await sleep(1000 / REQUESTS_PER_SECOND)
  }
  await Promise.all(visits)
  agent.destroy()
  newLatenciesMs.sort(ascending)
  keptLatenciesMs.sort(ascending)
  serverCpuMs.sort(ascending)
  const latenciesMs = [...newLatenciesMs, ...keptLatenciesMs].sort(ascending)
  return { latenciesMs, newLatenciesMs, keptLatenciesMs, serverCpuMs, failures }
}

/** Returns the CPU time of a process's main thread in milliseconds: its nanoseconds in `schedstat` (proc(5)). */
function cpuMsOf(pid: number | undefined): number {
  const [nanoseconds = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ', 1)
  return Number(nanoseconds) / 1e6
}

function requestOnce(port: number, agent: Agent | undefined): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', agent: agent ?? false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    request.once('error', reject)
  })
}

/** @param request `collect` collects garbage first, and measures the remaining memory */
async function ask(target: ChildProcess, request: 'state' | 'collect' = 'state'): Promise<TargetState> {
  target.send(request)
  const [state] = (await once(target, 'message')) as [TargetState]
  return state
}

function start(program: string, ...args: string[]): ChildProcess {
  const execArgv =
    program === MEMORY_TARGET ? [...process.execArgv, `--max-old-space-size=${HEAP_MIB}`, '--expose-gc'] : undefined
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, { ...(execArgv && { execArgv }) })
  // Emit an error, so that no caller waits for a message from a program that has ended.
  child.once('exit', (code) => code !== null && child.emit('error', new Error(`${program} ended with ${code}`)))
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

function ascending(a: number, b: number): number {
  return a - b
}
