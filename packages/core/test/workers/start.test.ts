import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { freePort, tempFolder, testCertificate } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { PATIENTLY, Program, type ProgramOptions } from './run-program.ts'

/** What a program writes that does not start; it says of itself that it ends with 3. */
async function failing(options: ProgramOptions): Promise<string> {
  const program = new Program(options)
  expect(await program.ended).toBe(3)
  return program.output
}

describe('listen with workers fails with one line', () => {
  it('if the port is in use, and starts none', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const output = await failing({ listen: { port, workers: 2 } })
    taken.close()
    expect(output).toContain(
      `\nStartupError: Cannot listen on 127.0.0.1:${port}: it is in use. ` +
        'Stop the other process (ss -lptun shows it) or choose another port\n',
    )
    expect(output).not.toContain('Worker')
  })

  it('if other workers have the port, which would share it', async () => {
    const first = new Program({ listen: { workers: 1 } })
    const port = Number(new URL(await first.url()).port)
    expect(await failing({ listen: { port, workers: 1 } })).toContain('it is in use')
  })

  it('if the UDP port for HTTP/3 is in use', async () => {
    const { key, cert } = await testCertificate()
    const tls = { key, cert }
    const { createSocket } = await import('node:dgram')
    const port = await freePort()
    const socket = createSocket('udp4').bind(port, '127.0.0.1')
    await once(socket, 'listening')
    const output = await failing({ listen: { port, workers: 2 }, server: { tls, http3: true } })
    socket.close()
    expect(output).toMatch(/^StartupError: Cannot listen on 127\.0\.0\.1:\d+.*: it is in use\. .*$/m)
  })

  it('that the workers failed with, once for all of them', async () => {
    const tls = { keyFile: '/nowhere/key.pem', certFile: '/nowhere/cert.pem' }
    const output = await failing({ listen: { workers: 2 }, server: { tls } })
    expect(output.match(/^StartupError: Cannot read the TLS .*$/gm)).toHaveLength(1)
    expect(output).not.toContain('starting another')
  })

  it('if a worker ends before it listens, which is not tried again', async () => {
    const output = await failing({ listen: { workers: 2 }, behaviour: 'exits early' })
    expect(output).toMatch(
      /^StartupError: Worker \d \(process \d+\) exited with code 7 before it listened\. What it wrote says why$/m,
    )
    expect(output).not.toContain('starting another')
  })

  it('if a worker never comes to listen', async () => {
    const listen = { workers: { count: 1, startTimeoutMs: 1500 } }
    const output = await failing({ listen, behaviour: 'never listens' })
    expect(output).toMatch(/^StartupError: Worker 1 .*did not (?:come to )?listen within 1500 ms/m)
  })

  it.each<[string, ProgramOptions['listen'], RegExp]>([
    ['of other numbers', [{ workers: 1 }, { workers: 2 }], /StartupError: All listeners with workers share them/],
    [
      'of no number',
      { workers: 0 },
      /RangeError: listen: option "workers" must be an integer from 1 to 1024 or "auto".*, got 0\./,
    ],
    [
      'that are only pinned',
      { pinCpus: true },
      /TypeError: listen: option "pinCpus" must be absent without "workers", got true\. Add workers/,
    ],
  ])('for workers %s', async (_what, listen, message) => {
    expect(await failing({ listen })).toMatch(message)
  })
})

it('a worker that dies before all listen is replaced: connections wait in its place already', async () => {
  await using folder = await tempFolder()
  const heldUp = folder.join('held-up')
  await writeFile(heldUp, '')
  const program = new Program({ listen: { workers: 2 }, env: { TEST_HELD_UP: heldUp } })
  await expect.poll(() => program.workers(), PATIENTLY).toHaveLength(1)
  const [first = 0] = program.workers()
  process.kill(first, 'SIGKILL')
  await expect.poll(() => program.output, PATIENTLY).toContain(`Worker 1 (process ${first}) was ended by SIGKILL`)
  await rm(heldUp)
  const url = await program.url()
  const served = new Set<string>()
  const deadline = AbortSignal.timeout(PATIENTLY.timeout)
  while (served.size < 2) {
    const response = await fetch(url, { headers: { connection: 'close' }, signal: deadline })
    served.add(await response.text())
  }
  expect(served).not.toContain(String(first))
})

it('a call of listen that fails in the primary fails in the workers too, and others go on', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const output = await failing({ listen: [{ workers: 1 }, { port, workers: 1 }] })
  taken.close()
  expect(output.match(/StartupError: Cannot listen on .* it is in use/g)?.length).toBeGreaterThanOrEqual(1)
})
