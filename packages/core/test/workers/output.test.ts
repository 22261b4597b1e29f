import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { tempFolder } from '@fw/testing'
import { expect, it, onTestFinished } from 'vitest'
import { POLL_OPTIONS, Program } from './run-program.ts'

const ROUNDS = 8
const LINES = 25

/** Makes both workers write records of this many bytes at the same time. */
async function write(url: string, bytes: number): Promise<void> {
  const asks = Array.from({ length: ROUNDS }, () =>
    fetch(`${url}log/${LINES}/${bytes}`, { headers: { connection: 'close' } }),
  )
  for (const response of await Promise.all(asks)) expect(await response.text()).toBe('logged')
}

/** Returns the records in the output. Each must be complete and on its own line. */
function checked(output: string, bytes: number): string[] {
  const lines = output.split('\n').filter((line) => line.includes('x'.repeat(8)))
  const whole = new RegExp(`^\\[[^<]*<\\d+ \\d+ x{${bytes}}>$`)
  // Do not use a matcher on the lines, because it would print them.
  expect(lines.filter((line) => !whole.test(line)).map((line) => line.length)).toEqual([])
  return lines
}

// A pipe accepts 4,096 bytes as one piece, and has room for fewer than 70,000.
const SIZES = [20, 5000, 70_000]

it.each(SIZES)('writes complete lines of %i bytes from several workers to a pipe', async (bytes) => {
  await using folder = await tempFolder()
  const fifo = folder.join('fifo')
  await once(spawn('mkfifo', [fifo]), 'exit')
  const reader = spawn('cat', [fifo])
  let text = ''
  reader.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const program = new Program({ listen: { workers: 2 }, output: fifo })
  await write(await program.url(), bytes)
  program.kill('SIGTERM')
  await Promise.all([program.ended, once(reader, 'close')])
  expect(checked(text, bytes)).toHaveLength(ROUNDS * LINES)
})

it('writes complete lines from all workers to one log file', async () => {
  await using folder = await tempFolder()
  const logFile = folder.join('app.log')
  const program = new Program({ listen: { workers: 2 }, logFile })
  await write(await program.url(), 70_000)
  program.kill('SIGTERM')
  await program.ended
  expect(checked(readFileSync(logFile, 'utf8'), 70_000)).toHaveLength(ROUNDS * LINES)
})

it('continues after its reader has closed the pipe', async () => {
  await using folder = await tempFolder()
  const fifo = folder.join('fifo')
  await once(spawn('mkfifo', [fifo]), 'exit')
  const reader = once(spawn('head', ['--lines=1', fifo]), 'close')
  const program = new Program({ listen: { workers: 2 }, output: fifo })
  const url = await program.url()
  await reader
  await write(url, 5000)
  program.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})

it.each([20, 5000])('replaces workers and exits while no process reads its lines of %i bytes', async (bytes) => {
  await using folder = await tempFolder()
  const fifo = folder.join('fifo')
  await once(spawn('mkfifo', [fifo]), 'exit')
  const reader = openSync(fifo, 'r+')
  onTestFinished(() => closeSync(reader))
  const program = new Program({ listen: { workers: 1 }, output: fifo, behavior: 'closes on message' })
  const url = await program.url()
  const victim = await (await fetch(url)).text()
  // Write more bytes than the pipe has room for.
  expect(await (await fetch(`${url}log/${Math.ceil(200_000 / (bytes + 100))}/${bytes}`)).text()).toBe('logged')
  process.kill(Number(victim), 'SIGKILL')
  const responding = async (): Promise<string> =>
    await (await fetch(url, { headers: { connection: 'close' } }).catch(() => new Response(victim))).text()
  await expect.poll(responding, POLL_OPTIONS).not.toBe(victim)
  program.process.send(100)
  expect(await program.ended).toBe(0)
})

it('counts the lines that no process reads until the deadline, and reports the number on standard error', async () => {
  await using folder = await tempFolder()
  const fifo = folder.join('fifo')
  await once(spawn('mkfifo', [fifo]), 'exit')
  const unread = openSync(fifo, 'r+')
  onTestFinished(() => closeSync(unread))
  const errors = folder.join('errors')
  const program = new Program({ listen: { workers: 1 }, output: fifo, errors, behavior: 'closes on message' })
  const url = await program.url()
  expect(await (await fetch(`${url}log/${LINES}/5000`)).text()).toBe('logged')
  program.process.send(100)
  expect(await program.ended).toBe(0)
  const report = /^Dropped (\d+) lines of worker output that were not read in time$/m.exec(readFileSync(errors, 'utf8'))
  // Each pipe, including the one between worker and primary, has room for 65,536 bytes.
  expect(Number(report?.[1])).toBeGreaterThan(0)
  expect(Number(report?.[1])).toBeLessThanOrEqual(LINES + 3)
})
