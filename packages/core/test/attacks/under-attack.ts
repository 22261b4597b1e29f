import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AttackName } from './attacks.ts'

/** How a server stood an attack. */
export interface Endurance {
  /** What its memory grew by, at most, in octets. */
  readonly grownBytes: number
  /** Milliseconds that each request of another client took, in ascending order. */
  readonly latenciesMs: readonly number[]
  /** Requests of the other client that were not answered with 200. */
  readonly failures: number
}

/** Requests a second of the client that means well. */
const REQUESTS_PER_SECOND = 50

/**
 * Attacks a server in a process of its own while another client goes on using it.
 *
 * @param settleSeconds How long the attack lasts before the other client comes; the memory is watched from the start
 */
export async function underAttack(
  name: AttackName,
  connections: number,
  seconds: number,
  settleSeconds: number,
): Promise<Endurance> {
  const target = start('target.ts')
  try {
    const [{ port }] = (await once(target, 'message')) as [{ port: number }]
    // What the first requests need is not the attack's.
    await visit(port, 1)
    const before = await memoryOf(target)
    const attacker = start('attacker.ts', name, String(port), String(connections))
    try {
      let grownBytes = 0
      const watch = async (forSeconds: number): Promise<void> => {
        for (const until = performance.now() + forSeconds * 1000; performance.now() < until; await sleep(200)) {
          grownBytes = Math.max(grownBytes, (await memoryOf(target)) - before)
        }
      }
      await watch(settleSeconds)
      const visiting = visit(port, seconds)
      await watch(seconds)
      return { ...(await visiting), grownBytes }
    } finally {
      await end(attacker)
    }
  } finally {
    await end(target)
  }
}

/** Sends requests at a steady rate, each on a connection of its own every tenth time. */
async function visit(port: number, seconds: number): Promise<Pick<Endurance, 'latenciesMs' | 'failures'>> {
  const agent = new Agent({ keepAlive: true })
  const latenciesMs: number[] = []
  let failures = 0
  const visits: Promise<void>[] = []
  for (let i = 0; i < seconds * REQUESTS_PER_SECOND; i++) {
    const started = performance.now()
    visits.push(
      requestOnce(port, i % 10 === 0 ? undefined : agent).then(
        (status) => {
          latenciesMs.push(performance.now() - started)
          if (status !== 200) failures++
        },
        () => void failures++,
      ),
    )
    await sleep(1000 / REQUESTS_PER_SECOND)
  }
  await Promise.all(visits)
  agent.destroy()
  return { latenciesMs: latenciesMs.toSorted((a, b) => a - b), failures }
}

function requestOnce(port: number, agent: Agent | undefined): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', agent: agent ?? false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    request.once('error', reject)
  })
}

async function memoryOf(target: ChildProcess): Promise<number> {
  target.send('memory')
  const [{ rssBytes }] = (await once(target, 'message')) as [{ rssBytes: number }]
  return rssBytes
}

function start(program: string, ...args: string[]): ChildProcess {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), args)
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
