import { describe, expect, it } from 'vitest'
import { isRunning, POLL_OPTIONS, Program } from './run-program.ts'

const WORKERS = { count: 1, spare: true }

/** Returns the process IDs of the spares that the log reports as ready. */
function spares(program: Program): number[] {
  return Array.from(program.output.matchAll(/Spare worker \(process (\d+)\) is ready/g), ([, pid]) => Number(pid))
}

/** Waits for the nth spare. Returns its process ID. */
async function spare(program: Program, nth: number): Promise<number> {
  await expect.poll(() => spares(program).length, POLL_OPTIONS).toBe(nth)
  return spares(program)[nth - 1] ?? 0
}

/** Returns the process ID of the worker that answers on a new connection. */
async function ask(url: string): Promise<number> {
  const response = await fetch(url, { headers: { connection: 'close' } })
  return Number(await response.text())
}

describe('a spare worker', () => {
  it('serves no requests until a worker dies, then replaces it, and is followed by another spare', async () => {
    const program = new Program({ listen: [{ workers: WORKERS }, { workers: WORKERS }] })
    const urls = await program.urls()
    const first = await spare(program, 1)
    const [dying = 0] = program.workers()
    for (const url of urls) expect(await ask(url)).toBe(dying)
    process.kill(dying, 'SIGKILL')
    for (const url of urls) expect(await ask(url)).toBe(first)
    await expect.poll(() => program.output, POLL_OPTIONS).toContain(`Worker 1 (process ${first}) is ready`)
    expect(await spare(program, 2)).not.toBe(first)
  })

  it('is replaced on SIGHUP, so that it runs the current program', async () => {
    const program = new Program({ listen: { workers: WORKERS } })
    await program.urls()
    const before = await spare(program, 1)
    program.kill('SIGHUP')
    await spare(program, 2)
    await expect.poll(() => isRunning(before), POLL_OPTIONS).toBe(false)
    await expect.poll(() => program.output, POLL_OPTIONS).toContain('All workers have been restarted')
  })

  it('is replaced if it dies, and exits with the program', async () => {
    const program = new Program({ listen: { workers: WORKERS } })
    await program.urls()
    process.kill(await spare(program, 1), 'SIGKILL')
    const pid = await spare(program, 2)
    expect(program.workers()).toHaveLength(1)
    program.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(isRunning(pid)).toBe(false)
  })
})
