import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { tempFolder } from '@fw/testing'
import { expect, it, onTestFinished } from 'vitest'
import { PATIENTLY, Program } from './run-program.ts'

const ROUNDS = 8
const LINES = 25

/** Has both workers write at the same time, records of so many bytes. */
async function write(url: string, bytes: number): Promise<void> {
  const asks = Array.from({ length: ROUNDS }, () =>
    fetch(`${url}log/${LINES}/${bytes}`, { headers: { connection: 'close' } }),
  )
  for (const response of await Promise.all(asks)) expect(await response.text()).toBe('logged')
}

/** The lines written so; each has to be whole, and on a line of its own. */
function checked(output: string, bytes: number): string[] {
  const lines = output.split('\n').filter((line) => line.includes('x'.repeat(8)))
  const whole = new RegExp(`^\\[[^<]*<\\d+ \\d+ x{${bytes}}>$`)
  // Not by a matcher: it would print them.
  expect(lines.filter((line) => !whole.test(line)).map((line) => line.length)).toEqual([])
  return lines
}

// 4,096 bytes are what a pipe takes as a whole; 70,000 are more than it holds.
const SIZES = [20, 5000, 70_000]

it.each(SIZES)('lines of %i bytes of several workers are whole in a pipe', async (bytes) => {
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

it('a file of the log that all workers append to has whole lines', async () => {
  await using folder = await tempFolder()
  const logFile = folder.join('app.log')
  const program = new Program({ listen: { workers: 2 }, logFile })
  await write(await program.url(), 70_000)
  program.kill('SIGTERM')
  await program.ended
  expect(checked(readFileSync(logFile, 'utf8'), 70_000)).toHaveLength(ROUNDS * LINES)
})

it('a reader that has gone stops nothing', async () => {
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

it.each([20, 5000])(
  'while nobody reads lines of %i bytes, workers are replaced and the program ends',
  async (bytes) => {
    await using folder = await tempFolder()
    const fifo = folder.join('fifo')
    await once(spawn('mkfifo', [fifo]), 'exit')
    const reader = openSync(fifo, 'r+')
    onTestFinished(() => closeSync(reader))
    const program = new Program({ listen: { workers: 1 }, output: fifo, behaviour: 'closes when told' })
    const url = await program.url()
    const victim = await (await fetch(url)).text()
    // More than the pipe holds.
    expect(await (await fetch(`${url}log/${Math.ceil(200_000 / (bytes + 100))}/${bytes}`)).text()).toBe('logged')
    process.kill(Number(victim), 'SIGKILL')
    const responding = async (): Promise<string> =>
      await (await fetch(url, { headers: { connection: 'close' } }).catch(() => new Response(victim))).text()
    await expect.poll(responding, PATIENTLY).not.toBe(victim)
    program.process.send(100)
    expect(await program.ended).toBe(0)
  },
)

it('lines that nobody reads until the deadline are counted, and told of where somebody reads', async () => {
  await using folder = await tempFolder()
  const fifo = folder.join('fifo')
  await once(spawn('mkfifo', [fifo]), 'exit')
  const unread = openSync(fifo, 'r+')
  onTestFinished(() => closeSync(unread))
  const errors = folder.join('errors')
  const program = new Program({ listen: { workers: 1 }, output: fifo, errors, behaviour: 'closes when told' })
  const url = await program.url()
  expect(await (await fetch(`${url}log/${LINES}/5000`)).text()).toBe('logged')
  program.process.send(100)
  expect(await program.ended).toBe(0)
  const notified = /^(\d+) lines that the workers wrote were dropped: nobody read them in time$/m.exec(
    readFileSync(errors, 'utf8'),
  )
  // A pipe holds 65,536 bytes, and so does the one that the worker writes to.
  expect(Number(notified?.[1])).toBeGreaterThan(0)
  expect(Number(notified?.[1])).toBeLessThanOrEqual(LINES + 3)
})
