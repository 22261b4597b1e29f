// Aborted downloads must not leak memory or descriptors. `ABORTS=1000` runs more of them.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { truncateSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect, tempFolder, testCertificate, TEST_PROTOCOLS, type TestProtocol } from '@fw/testing'
import { expect, it } from 'vitest'
import type { Usage } from './usage-server.ts'

const CLIENTS = Number(process.env['ABORTS'] ?? 20)
const AT_ONCE = 20
const FILE_BYTES = 100 * 1024 * 1024
/** Memory that buffer pools keep or that the allocator does not return immediately. */
const SLACK_MIB = 48

/** Starts a download, reads a few bytes and disconnects. */
async function leave(protocol: TestProtocol, port: number): Promise<void> {
  const client = await connect(protocol, { port })
  const response = await client.request({ path: '/large.bin' })
  expect([response.status, response.headers.get('content-length')]).toEqual([200, String(FILE_BYTES)])
  for await (const slice of response.body) {
    expect(slice.byteLength).toBeLessThan(FILE_BYTES)
    break
  }
  response.abort()
  await client.close()
}

async function leaveAll(protocol: TestProtocol, port: number, count: number): Promise<void> {
  for (let left = count; left > 0; left -= AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => leave(protocol, port)))
  }
}

const PROTOCOLS: readonly TestProtocol[] = CLIENTS > 100 ? TEST_PROTOCOLS : ['h1', 'h2', 'h3']

it.each(PROTOCOLS)(
  'frees the memory and descriptors of aborted 100 MiB downloads (%s)',
  async (protocol) => {
    await using folder = await tempFolder({ 'large.bin': '' })
    truncateSync(folder.join('large.bin'), FILE_BYTES)
    const { key, cert } = await testCertificate()
    const tls = protocol === 'h1' || protocol === 'h2c' ? [] : [JSON.stringify({ key, cert })]
    const program = fileURLToPath(new URL('usage-server.ts', import.meta.url))
    const server = fork(program, [folder.path, ...tls], { execArgv: ['--expose-gc'] })
    try {
      const [{ port }] = (await once(server, 'message', { signal: AbortSignal.timeout(60_000) })) as [{ port: number }]
      const usage = async (): Promise<Usage> => {
        server.send('usage')
        const [response] = (await once(server, 'message', { signal: AbortSignal.timeout(60_000) })) as [Usage]
        return response
      }
      await leaveAll(protocol, port, AT_ONCE)
      await delay(500)
      const before = await usage()
      await leaveAll(protocol, port, CLIENTS)
      let after = before
      await expect
        .poll(async () => {
          after = await usage()
          return [
            after.descriptors <= before.descriptors || after.descriptors,
            after.heapMib <= before.heapMib + SLACK_MIB || after.heapMib,
            after.rssMib <= before.rssMib + SLACK_MIB * 2 || after.rssMib,
          ]
        })
        .toEqual([true, true, true])
      if (CLIENTS > 100) console.log(`${protocol}, ${CLIENTS} clients:`, before, after)
    } finally {
      server.kill('SIGKILL')
    }
  },
  180_000 + CLIENTS * 200,
)
