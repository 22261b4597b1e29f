import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('programs/with-timers.ts', import.meta.url))

let child: ChildProcess
let output: string[] = []

/** Starts a program in its own process group, and collects its output. */
function start(...args: readonly string[]): void {
  output = []
  child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface(child.stdout as Readable).on('line', (line) => output.push(line))
}

const urls = (): string[] => output.filter((line) => line.startsWith('http'))

/** Waits for the `count`-th URL that the program prints. */
async function url(count: number = 1): Promise<string> {
  await expect.poll(urls, { timeout: 20_000 }).toHaveLength(count)
  return urls()[count - 1] ?? ''
}

async function exitCode(): Promise<unknown> {
  const [code, signal] = (await once(child, 'exit')) as [unknown, unknown]
  return signal ?? code
}

afterEach(() => {
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL')
  } catch {
    // The whole group has ended.
  }
})

describe('a process with application timers', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('exits with code 0 on %s, after it has drained', async (signal) => {
    start(PROGRAM)
    await url()
    child.kill(signal)
    expect(await exitCode()).toBe(0)
    await expect.poll(() => output).toContain('exit')
  })

  it("aborts in-flight requests after the server's drainMs", async () => {
    start(PROGRAM, JSON.stringify({ drainMs: 300 }))
    const response = await fetch(`${await url()}never`)
    const end = response.text().catch(() => 'aborted')
    const startMs = performance.now()
    child.kill('SIGTERM')
    expect(await exitCode()).toBe(0)
    expect(performance.now() - startMs).toBeGreaterThan(290)
    expect(await end).toBe('aborted')
  })

  it('does not exit by itself if the application also handles the signal', async () => {
    start(PROGRAM, '{}', 'own')
    await url()
    child.kill('SIGTERM')
    expect(await exitCode()).toBe(7)
    await expect.poll(() => output).toContain('saved')
  })

  it('restarts under node --watch without waiting for in-flight requests', async () => {
    const copy = PROGRAM.replace('with-timers', `watched-${process.pid}`)
    cpSync(PROGRAM, copy)
    try {
      start('--watch', copy)
      const response = await fetch(`${await url()}never`)
      const end = response.text().catch(() => 'aborted')
      appendFileSync(copy, '\n')
      await url(2)
      expect(await end).toBe('aborted')
      expect(output.join()).not.toContain('10000 ms')
    } finally {
      rmSync(copy)
    }
  })
})
