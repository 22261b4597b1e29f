import { zstdCompressSync } from 'node:zlib'
import * as log from '@fw/log'
import { Server } from '@fw/core'
import { eachProtocol, type ClientRequest, type ServerDemand } from '@fw/testing'
import { beforeAll, expect, it, vi } from 'vitest'
import { decompress } from '../src/request.ts'

const KIB = 1024
const MIB = 1024 * KIB
const LIMIT_BYTES = 2 * MIB
/** Number of bodies that are decoded at the same time. */
const TURNS = 8
/** One MiB in less than 200 bytes. */
const BOMB = zstdCompressSync(Buffer.alloc(MIB, 'a'))
const SHORT = zstdCompressSync('hello')

let server: Server

beforeAll(() => log.setSinks([]))

async function start({ tls, http3 }: ServerDemand): Promise<Server & { port: number }> {
  server = new Server({ ...(tls ? { tls } : {}), http3, limits: { maxBufferedBytes: LIMIT_BYTES } })
  const router = server.router().use(decompress())
  router.post('/', async (ctx) => String((await ctx.text()).length))
  const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(server, { port: Number(url.port) })
}

const heldBytes = (): number => server.stats().buffered.bytes

/** Yields all but the end of a body. The rest never follows. */
async function* incomplete(): AsyncGenerator<Uint8Array> {
  yield SHORT.subarray(0, -1)
  await new Promise(() => {})
}

// After a refusal, new TLS connections wait for ten seconds.
const protocols = ['h1', 'h2c', 'h3'] as const

eachProtocol(
  'the memory of decoders',
  start,
  (client) => {
    const post = (more: Partial<ClientRequest>): ReturnType<ReturnType<typeof client>['request']> =>
      client().request({ method: 'POST', path: '/', headers: [['content-encoding', 'zstd']], ...more })

    it('counts until the body is decoded, and further bodies get 503', async () => {
      let most = 0
      const timer = setInterval(() => (most = Math.max(most, heldBytes())), 1)
      const responses = await Promise.all(Array.from({ length: 60 }, () => post({ body: BOMB })))
      clearInterval(timer)
      const refused = responses.filter(({ status }) => status === 503)
      const accepted = responses.filter(({ status }) => status === 200)
      expect(refused.length).toBeGreaterThan(0)
      expect(accepted.length).toBe(60 - refused.length)
      expect(refused.every(({ headers }) => headers.get('retry-after') === '2')).toBe(true)
      for (const response of accepted) expect(await response.text()).toBe(String(MIB))
      // Each of the bodies that began below the limit holds its bytes, its window and a piece.
      expect(most).toBeLessThan(LIMIT_BYTES + TURNS * (2 * MIB + 128 * KIB))
      await expect.poll(heldBytes).toBe(0)
      expect(await (await post({ body: BOMB })).text()).toBe(String(MIB))
    })

    it('counts while a client sends nothing, but delays no other body', async () => {
      const leaving = new AbortController()
      const slow = Array.from({ length: 2 * TURNS }, () => post({ body: incomplete(), signal: leaving.signal }))
      const left = Promise.allSettled(slow)
      await expect.poll(heldBytes).toBeGreaterThanOrEqual(slow.length * 64 * KIB)
      expect(await (await post({ body: SHORT })).text()).toBe('5')
      leaving.abort()
      await left
      await vi.waitUntil(() => heldBytes() === 0)
    })
  },
  { protocols },
)
