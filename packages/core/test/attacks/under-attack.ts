import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { watchStolenTime } from '@fw/testing/stolen-time'
import type { TargetState } from './target-state.ts'

/** How a server stood an attack. */
export interface Endurance {
  /** What its memory grew by, at most, in bytes. */
  readonly grownBytes: number
  /** Milliseconds that each request of another client took, in ascending order. */
  readonly latenciesMs: readonly number[]
  /** Those of the requests that came on a connection of their own. */
  readonly newLatenciesMs: readonly number[]
  /** Those of the others. */
  readonly keptLatenciesMs: readonly number[]
  /** Milliseconds of processor time that turns of the server's event loop took, in ascending order. */
  readonly turnsMs: readonly number[]
  /** Requests of the other client that were not answered with 200. */
  readonly failures: number
  /** Milliseconds that each request took before the attack, in ascending order. */
  readonly quietLatenciesMs: readonly number[]
  /** Share of the machine's processors that others on its host had meanwhile. */
  readonly stolenShare: number
}

/** A server whose heap is small, for attacks on memory. */
const MEMORY_TARGET = 'memory-target.ts'
const HEAP_MIB = 512

/** The server of this project, or one that does nothing but accept, read and answer all the same. */
export type TargetName = 'target.ts' | 'bare-target.ts' | typeof MEMORY_TARGET

/** Requests a second of the client that means well. */
const REQUESTS_PER_SECOND = 50

/**
 * Attacks a server in a process of its own while another client goes on using it.
 *
 * @param settleSeconds How long the attack lasts before the other client comes; the memory is watched from the start
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
    // What the first requests need is not the attack's.
    await visit(port, 1)
    const { latenciesMs: quietLatenciesMs } = await visit(port, 1)
    const { rssBytes: before } = await ask(target)
    const attacker = start('attacker.ts', name, String(port), String(connections))
    try {
      // Attackers have machines of their own: this one takes what server and client leave it, which is a processor of two.
      if (attacker.pid !== undefined) setPriority(attacker.pid, constants.priority.PRIORITY_BELOW_NORMAL)
      let grownBytes = 0
      const turnsMs: number[] = []
      const watch = async (forSeconds: number): Promise<void> => {
        for (const until = performance.now() + forSeconds * 1000; performance.now() < until; await sleep(200)) {
          const state = await ask(target)
          grownBytes = Math.max(grownBytes, state.rssBytes - before)
          turnsMs.push(...state.turnsMs)
        }
      }
      await watch(settleSeconds)
      const stolenShare = watchStolenTime()
      const visiting = visit(port, seconds)
      await watch(seconds)
      return {
        ...(await visiting),
        quietLatenciesMs,
        grownBytes,
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

/** Sends requests at a steady rate, each on a connection of its own every tenth time. */
async function visit(
  port: number,
  seconds: number,
): Promise<Pick<Endurance, 'latenciesMs' | 'newLatenciesMs' | 'keptLatenciesMs' | 'failures'>> {
  const agent = new Agent({ keepAlive: true })
  const newLatenciesMs: number[] = []
  const keptLatenciesMs: number[] = []
  let failures = 0
  const visits: Promise<void>[] = []
  for (let i = 0; i < seconds * REQUESTS_PER_SECOND; i++) {
    const started = performance.now()
    const isNew = i % 10 === 0
    visits.push(
      requestOnce(port, isNew ? undefined : agent).then(
        (status) => {
          const latencyMs = performance.now() - started
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
  const latenciesMs = [...newLatenciesMs, ...keptLatenciesMs].sort(ascending)
  return { latenciesMs, newLatenciesMs, keptLatenciesMs, failures }
}

function requestOnce(port: number, agent: Agent | undefined): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', agent: agent ?? false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    request.once('error', reject)
  })
}

async function ask(target: ChildProcess): Promise<TargetState> {
  target.send('state')
  const [state] = (await once(target, 'message')) as [TargetState]
  return state
}

function start(program: string, ...args: string[]): ChildProcess {
  const execArgv = program === MEMORY_TARGET ? [...process.execArgv, `--max-old-space-size=${HEAP_MIB}`] : undefined
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args, { ...(execArgv && { execArgv }) })
  // So that nobody waits for a message of a program that does not run.
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
