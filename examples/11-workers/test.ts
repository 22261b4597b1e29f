import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'

/** Returns a port that is currently free. */
async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const port = await freePort()
const program = join(import.meta.dirname, 'main.ts')
const env = { ...process.env, PORT: String(port), WORKERS: '2' }
const primary = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
after(() => primary.kill('SIGKILL'))

/** Sends one request on a new connection. Returns the worker that responded. */
async function ask(): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })
  assert.equal(response.status, 200)
  return ((await response.json()) as { process: number }).process
}

test('replaces every worker under load without a failed request', { timeout: 120_000 }, async () => {
  for await (const line of createInterface(primary.stdout)) if (line.includes('kill -HUP')) break // all workers are listening
  primary.stdout.resume()
  const old = new Set<number>()
  for (let i = 0; i < 20; i++) old.add(await ask())
  assert.ok(!old.has(primary.pid ?? 0))

  primary.kill('SIGHUP')
  const seen = new Set<number>()
  let newInARow = 0
  while (newInARow < 20) {
    const worker = await ask() // a failed request fails the test
    seen.add(worker)
    newInARow = old.has(worker) ? 0 : newInARow + 1
  }
  assert.ok(seen.difference(old).size >= 1)

  primary.kill('SIGTERM')
  assert.deepEqual(await once(primary, 'exit'), [0, null])
})
