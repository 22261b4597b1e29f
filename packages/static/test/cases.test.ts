import { execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort, rawExchange, sharedCaseFile } from '@fw/testing'
import { expect, it } from 'vitest'

const conditionalCases = sharedCaseFile('conditional.json')
const staticCases = sharedCaseFile('static.json')
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const run = promisify(execFile)

/** First port of the runner, which uses consecutive ports: below the ephemeral ports of the system and `freePort`. */
const FIRST_PORT = 10_000 + (process.pid % 9000)

/** Runs a runner and returns its output. It exits with an error if a case fails. */
async function output(...args: string[]): Promise<string> {
  const options = { maxBuffer: 64 * 1024 * 1024 }
  return (await run(process.execPath, args, options).catch((error: unknown) => error as { stdout: string })).stdout
}

it.runIf(conditionalCases)('passes every case of conditional requests', async () => {
  const port = await freePort()
  const server = spawn(process.execPath, [here('conditional-server.ts'), String(port)], { stdio: 'ignore' })
  try {
    const probe = async () => (await rawExchange(port, 'GET / HTTP/1.1\r\n\r\n').catch(() => undefined))?.ended
    await expect.poll(probe).toBe('fin')
    const runner = sharedCaseFile('run-conditional.mjs') ?? ''
    expect(await output(runner, `127.0.0.1:${port}`, '--fails')).toMatch(/ weak 0, fail 0;/)
  } finally {
    server.kill('SIGKILL')
  }
})

it.runIf(staticCases)('passes the cases of plain files, canonical paths and links', async () => {
  const command = `${process.execPath} ${here('server.ts')} {port} {root} {options}`
  const filter = ['--filter', '^(basic|canonical|links)', '--verbose']
  const args = ['--name', 'vitest', '--cases', staticCases ?? '', '--port', String(FIRST_PORT)]
  const text = await output(sharedCaseFile('run-static.mjs') ?? '', ...args, ...filter, '--cmd', command)
  expect(text).toMatch(/, 0 failed$/m)
})
