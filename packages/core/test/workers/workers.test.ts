import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { connect as connectTls } from 'node:tls'
import { connect, newTestCertificate, tempFolder, testCertificate } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { Load } from './load.ts'
import { isRunning, POLL_OPTIONS, Program, PROGRAM } from './run-program.ts'

const IN_TERMINAL = `
import os, pty, sys
pid, end = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
sys.stdin.read()
os.close(end)
os.waitpid(pid, 0)
`

/** Returns the process IDs that answer on separate connections, enough to reach every worker. */
async function pids(url: string, asks = 24): Promise<Set<number>> {
  const responses = await Promise.all(
    Array.from({ length: asks }, async () => (await fetch(url, { headers: { connection: 'close' } })).text()),
  )
  return new Set(responses.map(Number))
}

/** Returns the serial numbers of the certificates on separate connections, enough to reach every worker. */
async function serials(port: number | undefined, asks = 24): Promise<Set<string>> {
  const shown = Array.from({ length: asks }, async () => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { serialNumber } = socket.getPeerCertificate()
    socket.destroy()
    return serialNumber
  })
  return new Set(await Promise.all(shown))
}

/** Waits until a worker runs the handler of `/slow`. Before that, another worker could still accept the request. */
async function slowBegins(program: Program): Promise<void> {
  await expect.poll(() => program.output, POLL_OPTIONS).toContain('Slow response begun')
}

/** Returns the milliseconds before each restart, as logged. */
function waits(program: Program): number[] {
  return Array.from(program.output.matchAll(/starting another(?: in (\d+) ms)?$/gm), ([, ms = '0']) => Number(ms))
}

/** Sends a request over a Unix socket and returns the body. */
async function ask(socketPath: string): Promise<string> {
  const [response] = (await once(request({ socketPath, agent: false }).end(), 'response')) as [IncomingMessage]
  return (await response.setEncoding('utf8').toArray()).join('')
}

describe('listen with workers', () => {
  it('serves one port from all workers, but not from the primary, and resolves when all are ready', async () => {
    const program = new Program({ listen: { workers: 2 } })
    const url = await program.url()
    const workers = program.workers()
    expect(workers).toHaveLength(2)
    expect(await pids(url)).toEqual(new Set(workers))
    expect(workers).not.toContain(program.process.pid)
  })

  it('shares a Unix socket, even if another process left its file behind', async () => {
    await using folder = await tempFolder()
    const path = folder.join('fw.sock')
    const before = new Program({ listen: { path, workers: 1 } })
    await before.url()
    before.kill('SIGKILL')
    await before.ended
    const program = new Program({ listen: { path, workers: 2 } })
    expect(await program.urls()).toEqual([`http+unix://${encodeURIComponent(path)}/`])
    const responses = await Promise.all(Array.from({ length: 8 }, () => ask(path)))
    expect(new Set(responses.map(Number))).toEqual(new Set(program.workers()))
  })

  it('serves HTTP/3 from all workers on the UDP port with the same number', async () => {
    const { key, cert } = await testCertificate()
    const program = new Program({ listen: { workers: 2 }, server: { tls: { key, cert }, http3: true } })
    const port = Number(new URL(await program.url()).port)
    const responded = new Set<number>()
    // The kernel chooses a worker by the client's port. This number of clients is enough to reach both workers.
    for (let client = 0; client < 24 && responded.size < 2; client++) {
      const connection = await connect('h3', { port })
      responded.add(Number(await (await connection.request({ path: '/' })).text()))
      await connection.close()
    }
    expect(responded).toEqual(new Set(program.workers()))
  })

  it('resumes TLS sessions in any worker', async () => {
    const { key, cert } = await testCertificate()
    const program = new Program({ listen: { workers: 2 }, server: { tls: { key, cert } } })
    const port = Number(new URL(await program.url()).port)
    let session: Buffer | undefined
    const responded = new Set<number>()
    for (let client = 0; client < 24 && responded.size < 2; client++) {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...(session && { session }) })
      const ticket = once(socket, 'session') as Promise<[Buffer]>
      await once(socket, 'secureConnect')
      expect([client, socket.isSessionReused()]).toEqual([client, session !== undefined])
      socket.end('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      const text = (await socket.setEncoding('latin1').toArray()).join('')
      session ??= (await ticket)[0]
      responded.add(Number(text.split('\r\n\r\n')[1]))
    }
    expect(responded).toEqual(new Set(program.workers()))
  })

  it('serves several listeners from the same workers', async () => {
    const program = new Program({ listen: [{ workers: 2 }, { workers: 2 }] })
    const urls = await program.urls()
    expect(new Set(urls).size).toBe(2)
    for (const url of urls) expect(await pids(url)).toEqual(new Set(program.workers()))
    program.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  it.runIf(process.platform === 'linux')('binds each worker to a CPU with taskset', async () => {
    const program = new Program({ listen: { workers: 1, pinCpus: true } })
    await program.url()
    await expect.poll(() => program.output, POLL_OPTIONS).toMatch(/Worker 1 \(process \d+\) is bound to CPU \d+/)
  })

  it.runIf(process.platform === 'linux')('continues without taskset, and logs which package to install', async () => {
    const program = new Program({ listen: { workers: 2, pinCpus: true }, env: { PATH: '/nowhere' } })
    const url = await program.url()
    await expect
      .poll(() => program.output, POLL_OPTIONS)
      .toMatch(/WARN .*taskset is not installed\. Install it \(package util-linux\)/)
    expect(program.output.match(/taskset is not installed/g)).toHaveLength(1)
    expect((await fetch(url)).status).toBe(200)
  })
})

describe('a worker that dies', () => {
  it('is replaced under load while the others continue to serve', async () => {
    const program = new Program({ listen: { workers: 2 } })
    const url = await program.url()
    const [victim = 0] = program.workers()
    const clients = 8
    const load = new Load(url, clients)
    await expect.poll(() => load.responded, POLL_OPTIONS).toBeGreaterThan(100)
    process.kill(victim, 'SIGKILL')
    await expect.poll(() => program.workers().length, POLL_OPTIONS).toBe(3)
    const before = load.responded
    await expect.poll(() => load.responded, POLL_OPTIONS).toBeGreaterThan(before + 100)
    // The requests in progress are lost, but waiting and later connections are not.
    expect((await load.stop()).failures.length).toBeLessThanOrEqual(clients)
    await expect
      .poll(() => program.output, POLL_OPTIONS)
      .toMatch(/ERROR.*Worker \d \(process \d+\) was ended by SIGKILL; starting another$/m)
    expect(await pids(url)).not.toContain(victim)
  })

  it('is replaced without a delay even if all workers are killed five times in a row after they were ready', async () => {
    const program = new Program({ listen: { workers: 2 } })
    await program.url()
    for (let round = 1; round <= 5; round++) {
      for (const pid of program.workers().slice(-2)) process.kill(pid, 'SIGKILL')
      await expect.poll(() => program.workers().length, POLL_OPTIONS).toBe(2 + 2 * round)
    }
    expect(waits(program)).toEqual(Array(10).fill(0))
  })

  it('is replaced after the same short delay each time if it closes its server soon after each start', async () => {
    const program = new Program({ listen: { workers: 1 }, behavior: 'closes soon' })
    await program.url()
    await expect.poll(() => waits(program).length, POLL_OPTIONS).toBeGreaterThanOrEqual(5)
    expect(waits(program).slice(0, 5)).toEqual(Array(5).fill(50))
  })

  it('is replaced after growing delays while its successors fail to start', async () => {
    await using folder = await tempFolder()
    const broken = folder.join('broken')
    const program = new Program({
      listen: { workers: { count: 1, maxRestartDelayMs: 600 } },
      env: { TEST_FAILS_WHILE: broken },
    })
    await program.url()
    const killLast = (): boolean => process.kill(program.workers().at(-1) ?? 0, 'SIGKILL')
    writeFileSync(broken, '')
    killLast()
    await expect.poll(() => waits(program).length, POLL_OPTIONS).toBeGreaterThanOrEqual(5)
    const [killed, first, ...later] = waits(program).slice(0, 5)
    expect([killed, first]).toEqual([0, 0])
    expect(later.map((ms, at) => ms / Math.min(600, 250 * 2 ** at))).toEqual(
      [1, 1, 1].map(() => expect.toSatisfy((part: number) => part >= 0.49 && part <= 1)),
    )
    rmSync(broken)
    await expect.poll(() => program.workers().length, POLL_OPTIONS).toBe(2)
    killLast()
    await expect.poll(() => program.workers().length, POLL_OPTIONS).toBe(3)
    expect(waits(program).at(-1)).toBe(0)
  })

  it('is killed and replaced if its event loop is blocked', async () => {
    const program = new Program({ listen: { workers: { count: 1, heartbeatTimeoutMs: 3000 } } })
    const url = await program.url()
    const hanging = fetch(`${url}block`).catch(() => 'failed')
    // The blocked worker accepts no further connections. They wait in its queue for the replacement.
    await expect
      .poll(() => program.output, POLL_OPTIONS)
      .toContain('was killed because its event loop was blocked for 3000 ms')
    expect(await hanging).toBe('failed')
    const [victim] = program.workers()
    expect([...(await pids(url))]).not.toContain(victim)
  })

  it('is replaced after SIGTERM, and finishes its requests first', async () => {
    const program = new Program({ listen: { workers: 1 } })
    const url = await program.url()
    const [worker = 0] = program.workers()
    const slow = fetch(`${url}slow/1000`)
    await slowBegins(program)
    process.kill(worker, 'SIGTERM')
    await expect.poll(() => program.workers().length, POLL_OPTIONS).toBe(2)
    expect(await (await slow).text()).toBe(`slow ${worker}`)
    await expect.poll(() => isRunning(worker), POLL_OPTIONS).toBe(false)
  })
})

describe('SIGHUP', () => {
  it('replaces all workers one by one without a failed request', async () => {
    // A client that is delayed for longer than an idle connection stays open would send its next request too late.
    const program = new Program({ listen: { workers: 2 }, server: { limits: { drainIdleMs: 8000 } } })
    const url = await program.url()
    const before = program.workers()
    const load = new Load(url)
    await expect.poll(() => load.responded, POLL_OPTIONS).toBeGreaterThan(100)
    program.kill('SIGHUP')
    await expect.poll(() => program.output, POLL_OPTIONS).toContain('All workers have been restarted')
    expect(await load.stop()).toMatchObject({ failures: [] })
    expect(program.workers()).toHaveLength(4)
    for (const pid of before) expect(isRunning(pid)).toBe(false)
    expect(await pids(url)).toEqual(new Set(program.workers().slice(2)))
  })

  it('keeps the previous workers if the new ones do not start', async () => {
    await using folder = await tempFolder()
    const broken = folder.join('broken')
    const program = new Program({ listen: { workers: 2 }, behavior: broken })
    const url = await program.url()
    writeFileSync(broken, '')
    program.kill('SIGHUP')
    await expect.poll(() => program.output, POLL_OPTIONS).toContain('Broken')
    rmSync(broken)
    await expect.poll(() => program.output, POLL_OPTIONS).toMatch(/exited with code 8; keeping the previous workers/)
    expect(await pids(url)).toEqual(new Set(program.workers()))
    expect(program.workers()).toHaveLength(2)
  })

  it('restarts again if it arrives during a restart that fails', async () => {
    await using folder = await tempFolder()
    const broken = folder.join('broken')
    const program = new Program({ listen: { workers: 1 }, behavior: broken })
    await program.url()
    writeFileSync(broken, '')
    program.kill('SIGHUP')
    await expect.poll(() => program.output, POLL_OPTIONS).toContain('Broken')
    program.kill('SIGHUP')
    // The new worker fails now. The primary detects the failure after the signal, and the next worker starts.
    rmSync(broken)
    await expect.poll(() => program.output, POLL_OPTIONS).toContain('keeping the previous workers')
    await expect
      .poll(() => program.output, POLL_OPTIONS)
      .toMatch(/one by one.*one by one.*All workers have been restarted/s)
  })
})

it('stops the program when the terminal in which it was started is closed', async () => {
  await using folder = await tempFolder()
  const output = folder.join('out.log')
  const options = { listens: [{ port: 0, host: '127.0.0.1', workers: 1 }], logFile: output }
  const environment = { PATH: process.env.PATH, TEST_OPTIONS: JSON.stringify(options) }
  // The program runs on one end of a terminal. Closing this process's standard input closes the other end.
  const terminal = spawn('python3', ['-c', IN_TERMINAL, process.execPath, PROGRAM], { env: environment, stdio: 'pipe' })
  const text = (): string => (existsSync(output) ? readFileSync(output, 'utf8') : '')
  await expect.poll(text, POLL_OPTIONS).toContain('Listening on')
  const [, pid] = /Worker 1 \(process (\d+)\) is ready/.exec(text()) ?? []
  terminal.stdin.end()
  await expect.poll(text, POLL_OPTIONS).toContain('Received SIGTERM')
  await expect.poll(() => isRunning(Number(pid)), POLL_OPTIONS).toBe(false)
  expect(text()).not.toContain('one by one')
})

describe('reloadTls in the primary', () => {
  it('reloads the certificates of every worker, and names the workers that cannot', async () => {
    const [first, second] = await Promise.all([testCertificate(), newTestCertificate()])
    await using folder = await tempFolder({ 'key.pem': first.key, 'cert.pem': first.cert })
    const [keyFile, certFile] = [folder.join('key.pem'), folder.join('cert.pem')]
    const program = new Program({
      listen: [{ workers: 2 }, { workers: 2 }],
      server: { tls: { keyFile, certFile } },
      behavior: 'reloads on message',
    })
    const [, port] = (await program.urls()).map((url) => Number(new URL(url).port))
    const reload = async (): Promise<string> => {
      program.process.send('reload')
      const [outcome] = (await once(program.process, 'message')) as [string]
      return outcome
    }
    writeFileSync(keyFile, second.key)
    expect(await reload()).toMatch(
      /^StartupError: Worker 1 \(process \d+\), Worker 2 \(process \d+\): .*the private key does not belong to/,
    )
    expect(await serials(port)).toEqual(new Set([new X509Certificate(first.cert).serialNumber]))
    writeFileSync(certFile, second.cert)
    expect(await reload()).toBe('reloaded')
    expect(await serials(port)).toEqual(new Set([new X509Certificate(second.cert).serialNumber]))
  })
})

describe('the primary', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'waits for in-flight requests after %s, then exits with code 0',
    async (signal) => {
      const program = new Program({ listen: { workers: 2 } })
      const url = await program.url()
      const slow = fetch(`${url}slow/700`)
      await slowBegins(program)
      program.kill(signal)
      expect(await (await slow).text()).toMatch(/^slow/)
      expect(await program.ended).toBe(0)
      for (const pid of program.workers()) expect(isRunning(pid)).toBe(false)
      await expect(fetch(url)).rejects.toThrow(/fetch failed/)
    },
  )

  it('kills the workers immediately on a second signal', async () => {
    const program = new Program({ listen: { workers: 2 } })
    const url = await program.url()
    const slow = fetch(`${url}slow/60000`).catch(() => 'failed')
    await slowBegins(program)
    program.kill('SIGTERM')
    await expect.poll(() => program.output, POLL_OPTIONS).toContain('Received SIGTERM')
    program.kill('SIGINT')
    expect(await program.ended).toBe(130)
    expect(await slow).toBe('failed')
    for (const pid of program.workers()) await expect.poll(() => isRunning(pid), POLL_OPTIONS).toBe(false)
  })

  it('stops the workers after SIGKILL only when their requests have finished', async () => {
    const program = new Program({ listen: { workers: 2 } })
    const url = await program.url()
    const slow = fetch(`${url}slow/700`)
    await slowBegins(program)
    program.kill('SIGKILL')
    expect(await (await slow).text()).toMatch(/^slow/)
    for (const pid of program.workers()) await expect.poll(() => isRunning(pid), POLL_OPTIONS).toBe(false)
  })

  it('closes all listeners and workers after server.close()', async () => {
    const program = new Program({ listen: { workers: 2 }, behavior: 'closes on message' })
    await program.url()
    program.process.send(10_000)
    expect(await program.ended).toBe(0)
    for (const pid of program.workers()) expect(isRunning(pid)).toBe(false)
    expect(program.output.match(/Closed$/gm)).toHaveLength(3)
  })
})
