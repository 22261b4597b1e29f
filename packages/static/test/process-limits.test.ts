// What the process may not read, and what happens when it can open nothing more: in a process of its own.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, truncateSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { connectH1, tempFolder, type ClientResponse } from '@fw/testing'
import { expect, it } from 'vitest'

const NOBODY = 65_534
const PROGRAM = fileURLToPath(new URL('usage-server.ts', import.meta.url))

/** Starts a server that may open so many descriptors, as a user who may not read everything. */
async function startLimited(directory: string, descriptors: number): Promise<{ child: ChildProcess; port: number }> {
  const script = `ulimit -n ${descriptors}; exec "$0" "$@"`
  const child = spawn('bash', ['-c', script, process.execPath, PROGRAM, directory], {
    // What root runs reads its modules first: nobody may not even see them everywhere.
    env: { ...process.env, ...(process.getuid?.() === 0 ? { RUN_AS: String(NOBODY) } : {}) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const [{ port }] = (await once(child, 'message', { signal: AbortSignal.timeout(60_000) })) as [{ port: number }]
  return { child, port }
}

it('a file that may not be read is 404 and one Warn record', async () => {
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
    // One a second, should the machine stand still for so long.
    const seconds = Math.floor((performance.now() - startedMs) / 1000)
    expect(output.match(/permission denied/g)?.length).toBeLessThanOrEqual(1 + seconds)
    expect((await client.request({ path: '/a.txt' })).status).toBe(200)
  } finally {
    await client.close()
    child.kill('SIGKILL')
  }
})

it('without descriptors left, files are 503 with Retry-After until some are free', async () => {
  await using folder = await tempFolder({ 'large.bin': '', 'a.txt': 'A' })
  chmodSync(folder.path, 0o755)
  truncateSync(folder.join('large.bin'), 100 * 1024 * 1024)
  const { child, port } = await startLimited(folder.path, 70)
  const client = await connectH1({ port })
  try {
    const running: ClientResponse[] = []
    let refused: ClientResponse | undefined
    // Each download that nobody reads holds a connection and a file.
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
