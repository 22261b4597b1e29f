import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { freePort, tempFolder, testCertificate } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { POLL_OPTIONS, Program, type ProgramOptions } from './run-program.ts'

/** Returns the output of a program that fails to start with exit code 3. */
async function failing(options: ProgramOptions): Promise<string> {
  const program = new Program(options)
  expect(await program.ended).toBe(3)
  return program.output
}

describe('a failing listen with workers', () => {
  it('reports a port in use, and starts no worker', async () => {
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

  it('reports a port that the workers of another program already use', async () => {
    const first = new Program({ listen: { workers: 1 } })
    const port = Number(new URL(await first.url()).port)
    expect(await failing({ listen: { port, workers: 1 } })).toContain('it is in use')
  })

  it('reports a UDP port in use for HTTP/3', async () => {
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

  it('reports an error in the workers once for all of them', async () => {
    const tls = { keyFile: '/nowhere/key.pem', certFile: '/nowhere/cert.pem' }
    const output = await failing({ listen: { workers: 2 }, server: { tls } })
    expect(output.match(/^StartupError: Cannot read the TLS .*$/gm)).toHaveLength(1)
    expect(output).not.toContain('starting another')
  })

  it('reports a worker that exits before it listens, without a retry', async () => {
    const output = await failing({ listen: { workers: 2 }, behavior: 'exits early' })
    expect(output).toMatch(
      /^StartupError: Worker \d \(process \d+\) exited with code 7 before it listened\. See its output for the cause$/m,
    )
    expect(output).not.toContain('starting another')
  })

  it('reports a worker that does not listen in time', async () => {
    const listen = { workers: { count: 1, startTimeoutMs: 1500 } }
    const output = await failing({ listen, behavior: 'never listens' })
    expect(output).toMatch(/^StartupError: Worker 1 .*did not listen within 1,?500 ms/m)
  })

  it.each<[string, ProgramOptions['listen'], RegExp]>([
    ['two worker counts', [{ workers: 1 }, { workers: 2 }], /StartupError: All listeners share one set of workers/],
    [
      'zero workers',
      { workers: 0 },
      /RangeError: listen: option "workers" must be an integer from 1 to 1024 or "auto".*, got 0\./,
    ],
    [
      'pinCpus without workers',
      { pinCpus: true },
      /TypeError: listen: option "pinCpus" must be absent without "workers", got true\. Add workers/,
    ],
  ])('rejects %s', async (_what, listen, message) => {
    expect(await failing({ listen })).toMatch(message)
  })
})

it('replaces a worker that dies before all workers are listening, because connections are already waiting for it', async () => {
  await using folder = await tempFolder()
  const heldUp = folder.join('held-up')
  await writeFile(heldUp, '')
  const program = new Program({ listen: { workers: 2 }, env: { TEST_HELD_UP: heldUp } })
  await expect.poll(() => program.workers(), POLL_OPTIONS).toHaveLength(1)
  const [first = 0] = program.workers()
  process.kill(first, 'SIGKILL')
  await expect.poll(() => program.output, POLL_OPTIONS).toContain(`Worker 1 (process ${first}) was ended by SIGKILL`)
  await rm(heldUp)
  const url = await program.url()
  const served = new Set<string>()
  const deadline = AbortSignal.timeout(POLL_OPTIONS.timeout)
  while (served.size < 2) {
    const response = await fetch(url, { headers: { connection: 'close' }, signal: deadline })
    served.add(await response.text())
  }
  expect(served).not.toContain(String(first))
})

it('fails a listen call in the workers if it fails in the primary', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const output = await failing({ listen: [{ workers: 1 }, { port, workers: 1 }] })
  taken.close()
  expect(output.match(/StartupError: Cannot listen on .* it is in use/g)?.length).toBeGreaterThanOrEqual(1)
})
