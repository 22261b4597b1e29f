import { createHash, type Hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { eachProtocol, type ServerDemand } from '@fw/testing'
import { expect, it } from 'vitest'
import { ServerProcess } from './server-process.ts'

const MIB = 1024 * 1024
/** Size of the bodies in MiB. The supported size is 100: `BODY_MIB=100 npx vitest run test/large-bodies`. */
const BODY_MIB = Number(process.env['BODY_MIB'] ?? 4)
const UNREAD_MIB = 500
const SLICE_BYTES = 64 * 1024
const MAX_GROWTH_BYTES = 20 * MIB

/** Prints durations. No test asserts these times, because the machine can be busy. */
const print = process.env['BODY_MIB'] === undefined ? (): void => {} : console.log

let server: ServerProcess
async function start(demand: ServerDemand): Promise<ServerProcess> {
  return (server = await ServerProcess.start(demand))
}

/** Yields slices that all differ, and updates `hash` with each. */
async function* body(mebibytes: number, hash: Hash): AsyncGenerator<Uint8Array> {
  const slice = Buffer.alloc(SLICE_BYTES, 'abcdefghijklmnopqrstuvwxyz0123456789')
  for (let n = 0; n < (mebibytes * MIB) / SLICE_BYTES; n++) {
    slice.writeUInt32BE(n)
    hash.update(slice)
    yield Uint8Array.from(slice)
  }
}

eachProtocol('large bodies', start, (client, protocol) => {
  it(`buffers less than 20 MiB of an unread request of ${UNREAD_MIB} MiB`, async () => {
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
    // Backpressure stopped the client, which proves that the server did not discard the body.
    expect(sent).toBeLessThan(UNREAD_MIB * MIB)
    abort.abort()
    await unread
  })

  it(
    `transfers ${BODY_MIB} MiB in both directions unchanged`,
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

  it('notifies the handler when the client disconnects', async () => {
    const response = await client().request({ path: '/waits' })
    const noticed = server.abortedAtMs()
    for await (const _slice of response.body) break
    const leftMs = Date.now()
    response.abort()
    const noticedMs = await noticed
    print(`${protocol}: the handler was notified ${noticedMs - leftMs} ms after the client disconnected`)
    expect(noticedMs).toBeGreaterThan(0)
  })

  it('notifies the client that a response was aborted', async () => {
    const broken = server.abortedAtMs()
    const response = await client().request({ path: '/breaks' })
    await expect(response.text()).rejects.toThrow(Error)
    const noticedMs = Date.now()
    print(`${protocol}: the client was notified ${noticedMs - (await broken)} ms after the server aborted`)
  })
})
