import { createHash, type Hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { expect, it } from 'vitest'
import { ServerProcess } from './server-process.ts'

const MIB = 1024 * 1024
/** 100 is what is promised; `BODY_MIB=100 npx vitest run test/large-bodies` carries that many. */
const BODY_MIB = Number(process.env['BODY_MIB'] ?? 4)
const UNREAD_MIB = 500
const SLICE_BYTES = 64 * 1024
const MAX_GROWTH_BYTES = 20 * MIB

/** Times are looked at, never judged: a machine may be busy. */
const notify = process.env['BODY_MIB'] === undefined ? (): void => {} : console.log

let server: ServerProcess
async function start(demand: ServerDemand): Promise<ServerProcess> {
  return (server = await ServerProcess.start(demand))
}

/** Bytes of which no slice is like another, and their hash as they are taken. */
async function* body(mebibytes: number, hash: Hash): AsyncGenerator<Uint8Array> {
  const slice = Buffer.alloc(SLICE_BYTES, 'abcdefghijklmnopqrstuvwxyz0123456789')
  for (let n = 0; n < (mebibytes * MIB) / SLICE_BYTES; n++) {
    slice.writeUInt32BE(n)
    hash.update(slice)
    yield Uint8Array.from(slice)
  }
}

eachProtocol('large bodies', start, (client, protocol) => {
  it(`a request of ${UNREAD_MIB} MiB that nobody reads takes less than 20 MB of memory`, async () => {
    for (let i = 0; i < 20; i++) await (await client().request({ path: '/' })).text()
    const before = await server.rssBytes()
    let sent = 0
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const slice of body(UNREAD_MIB, createHash('sha256'))) {
        yield slice
        sent += slice.length
      }
    }
    const abort = new AbortController()
    const unread = client()
      .request({ method: 'POST', path: '/unread', body: counted(), signal: abort.signal })
      .catch(() => {})
    await expect.poll(() => sent).toBeGreaterThan(0)
    let seen = -1
    while (seen !== sent) {
      seen = sent
      await sleep(200)
    }
    expect((await server.rssBytes()) - before).toBeLessThan(MAX_GROWTH_BYTES)
    // Backpressure has reached the client: it was not that the server threw it all away.
    expect(sent).toBeLessThan(UNREAD_MIB * MIB)
    abort.abort()
    await unread
  })

  it(
    `${BODY_MIB} MiB go there and come back unchanged`,
    async () => {
      const [sent, received] = [createHash('sha256'), createHash('sha256')]
      const response = await client().request({ method: 'POST', path: '/pipe', body: body(BODY_MIB, sent) })
      for await (const slice of response.body) received.update(slice)
      expect(received.digest('hex')).toBe(sent.digest('hex'))
      const hash = createHash('sha256')
      const uploaded = await client().request({ method: 'POST', path: '/hash', body: body(BODY_MIB, hash) })
      expect(await uploaded.text()).toBe(hash.digest('hex'))
    },
    180_000 + BODY_MIB * 1000,
  )

  it('a client that leaves is noticed', async () => {
    const response = await client().request({ path: '/waits' })
    const noticed = server.abortedAtMs()
    for await (const _slice of response.body) break
    const leftMs = Date.now()
    response.abort()
    const noticedMs = await noticed
    notify(`${protocol}: the handler was told ${noticedMs - leftMs} ms after the client had left`)
    expect(noticedMs).toBeGreaterThan(0)
  })

  it('a response that is broken off is noticed', async () => {
    const broken = server.abortedAtMs()
    const response = await client().request({ path: '/breaks' })
    await expect(response.text()).rejects.toThrow(Error)
    const noticedMs = Date.now()
    notify(`${protocol}: the client was told ${noticedMs - (await broken)} ms after the server had given up`)
  })
})
