// Tests files without read permission and a process without free descriptors. Each test starts a separate process.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, truncateSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { connectH1, tempFolder, type ClientResponse } from '@fw/testing'
import { expect, it } from 'vitest'

const NOBODY = 65_534
const PROGRAM = fileURLToPath(new URL('usage-server.ts', import.meta.url))

/** Starts a server with a descriptor limit, as a user without permission to read every file. */
async function startLimited(directory: string, descriptors: number): Promise<{ child: ChildProcess; port: number }> {
  const script = `ulimit -n ${descriptors}; exec "$0" "$@"`
  const child = spawn('bash', ['-c', script, process.execPath, PROGRAM, directory], {
    // Load the modules as root, because the unprivileged user may not be able to read them.
    env: { ...process.env, ...(process.getuid?.() === 0 ? { RUN_AS: String(NOBODY) } : {}) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const [{ port }] = (await once(child, 'message', { signal: AbortSignal.timeout(60_000) })) as [{ port: number }]
  return { child, port }
}

it('answers 404 and logs one Warn record for a file without read permission', async () => {
  await using folder = await tempFolder({ 'secret.txt': 'SECRET', 'a.txt': 'A' })
  chmodSync(folder.path, 0o755)
  chmodSync(folder.join('secret.txt'), 0)
  const { child, port } = await startLimited(folder.path, 1024)
  const client = await connectH1({ port })
  try {
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += String(text)))
    const startedMs = performance.now()
    for (let i = 0; i < 3; i++) {
      const response = await client.request({ path: '/secret.txt' })
      expect([response.status, await response.text()]).toEqual([404, expect.not.stringContaining('secret')])
    }
    await expect.poll(() => output).toMatch(/\[WARN ?\].*Cannot open .*secret\.txt: permission denied/)
    // On a stalled machine, there can be one more record per second.
    const seconds = Math.floor((performance.now() - startedMs) / 1000)
    expect(output.match(/permission denied/g)?.length).toBeLessThanOrEqual(1 + seconds)
    expect((await client.request({ path: '/a.txt' })).status).toBe(200)
  } finally {
    await client.close()
    child.kill('SIGKILL')
  }
})

it('answers 503 with Retry-After until descriptors are free again', async () => {
  await using folder = await tempFolder({ 'large.bin': '', 'a.txt': 'A' })
  chmodSync(folder.path, 0o755)
  truncateSync(folder.join('large.bin'), 100 * 1024 * 1024)
  const { child, port } = await startLimited(folder.path, 70)
  const client = await connectH1({ port })
  try {
    const running: ClientResponse[] = []
    let refused: ClientResponse | undefined
    // Each unread download occupies a connection and a file descriptor.
    while (refused === undefined && running.length < 60) {
      const response = await client.request({ path: '/large.bin' })
      if (response.status === 200) running.push(response)
      else refused = response
    }
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([503, '1'])
    expect(running.length).toBeGreaterThan(5)
    await refused?.text()
    for (const response of running) response.abort()
    const status = async (): Promise<number> => {
      const response = await client.request({ path: '/a.txt' })
      await response.text()
      return response.status
    }
    await expect.poll(status).toBe(200)
  } finally {
    await client.close()
    child.kill('SIGKILL')
  }
})
