import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { Server } from '../../src/index.ts'
import { Load } from './load.ts'
import { isRunning, POLL_OPTIONS, Program } from './run-program.ts'

const OPTIONS = {
  behavior: 'restarts on message',
  // A client that is delayed for longer than an idle connection stays open would send its next request too late.
  server: { limits: { drainIdleMs: 8000 } },
} as const

/** Returns the messages on `fw.worker` that the primary has logged. */
function traces(program: Program): { state: string; worker: string; pid: number; reason: string }[] {
  return Array.from(
    program.output.matchAll(/Trace: (\w+) (\w+) (\d+) (.*)$/gm),
    ([, state = '', worker = '', pid, reason = '']) => ({ state, worker, pid: Number(pid), reason }),
  )
}

/** Calls `server.restart()` in the primary. Returns 'restarted' or the error. */
async function restart(program: Program): Promise<unknown> {
  const result = once(program.process, 'message')
  program.process.send('restart')
  return (await result)[0]
}

/** Returns the messages about a worker that is replaced. */
function life(worker: number): string[] {
  return [`starts ${worker} -`, `serves ${worker} -`, `drains ${worker} -`, `ended ${worker} exited with code 0`]
}

describe('server.restart', () => {
  it('resolves when all workers have been replaced, without a failed request', async () => {
    const program = new Program({ listen: { workers: 2 }, ...OPTIONS })
    const load = new Load(await program.url())
    const before = program.workers()
    await expect.poll(() => load.responded, POLL_OPTIONS).toBeGreaterThan(100)
    expect(await restart(program)).toBe('restarted')
    expect(await load.stop()).toMatchObject({ failures: [] })
    expect(before.map((pid) => isRunning(pid))).toEqual([false, false])
    await expect.poll(() => program.workers(), POLL_OPTIONS).toHaveLength(4)
  })

  it('rejects with the reason if a replacement cannot start, and keeps the previous workers', async () => {
    await using folder = await tempFolder()
    const broken = folder.join('broken')
    const program = new Program({ listen: { workers: 2 }, ...OPTIONS, env: { TEST_FAILS_WHILE: broken } })
    const url = await program.url()
    writeFileSync(broken, '')
    expect(await restart(program)).toMatch(
      /^StartupError: Cannot restart the workers: Worker 1 \(process \d+\) exited with code 9$/,
    )
    expect(program.workers()).toContain(Number(await (await fetch(url)).text()))
  })

  it("forwards a worker's call to the primary", async () => {
    const program = new Program({ listen: { workers: 2 }, ...OPTIONS })
    const url = await program.url()
    const before = program.workers()
    const [, asked] = (await (await fetch(`${url}restart`)).text()).split(' ')
    expect(before).toContain(Number(asked))
    await expect.poll(() => program.output, POLL_OPTIONS).toContain('All workers have been restarted')
    expect(before.map((pid) => isRunning(pid))).toEqual([false, false])
  })

  it('rejects without workers', async () => {
    await using server = new Server()
    await server.listen({ port: 0, host: '127.0.0.1' })
    await expect(server.restart()).rejects.toThrow(
      'server.restart: the server has no workers. Pass workers to listen().',
    )
  })
})

describe('the channel fw.worker', () => {
  it('publishes each state of each worker in the primary', async () => {
    const program = new Program({ listen: [{ workers: 2 }, { workers: 2 }], ...OPTIONS })
    await program.url()
    const [first, second] = program.workers()
    await restart(program)
    await expect.poll(() => program.workers(), POLL_OPTIONS).toHaveLength(4)
    const [, , third, fourth] = program.workers()
    program.kill('SIGTERM')
    await program.ended
    const of = (pid: number | undefined): string[] =>
      traces(program)
        .filter((trace) => trace.pid === pid)
        .map(({ state, worker, reason }) => `${state} ${worker} ${reason}`)
    const numberOf = (pid: number | undefined): number =>
      Number(traces(program).find((each) => each.pid === pid)?.worker)
    for (const pid of [first, second, third, fourth]) expect(of(pid)).toEqual(life(numberOf(pid)))
    expect(traces(program)).toHaveLength(16)
  })

  it('publishes that a worker was killed, and that it was replaced', async () => {
    const program = new Program({ listen: { workers: 1 }, ...OPTIONS })
    await program.url()
    const [killed = 0] = program.workers()
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => program.workers(), POLL_OPTIONS).toHaveLength(2)
    expect(traces(program).map(({ state, reason }) => `${state} ${reason}`)).toEqual([
      'starts -',
      'serves -',
      'ended was ended by SIGKILL',
      'starts -',
      'serves -',
    ])
  })
})
