import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol, launchChromium, testCertificate } from '@fw/testing'
import { EventSource } from 'eventsource'
import { array, assert, asyncProperty, constant, constantFrom, integer, oneof, record, string } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeEvent } from '../src/stream/event.ts'
import { sse, type ServerSentEvent } from '../src/index.ts'
import type { EventStream } from '../src/stream/event-stream.ts'
import { EventReader } from '../src/testing.ts'

/** Characters with a meaning in event streams, and similar characters. */
const text = oneof(
  string({ unit: constantFrom('\n', '\r', '\r\n', ' ', ':', 'a', 'data', 'é', '💥', '\u2028', '\0', '\uFEFF') }),
  string({ unit: 'binary' }),
)
const blocks = array(
  record({ event: constantFrom(undefined, 'a', 'data', 'é:'), id: constantFrom(undefined, '1', 'ü', ''), data: text }),
  { minLength: 1, maxLength: 20 },
)

interface Seen {
  readonly type: string
  readonly data: string
  readonly lastEventId: string
}

/** Returns the events that clients must dispatch for the given blocks. */
function seenOf(sent: readonly ServerSentEvent[]): Seen[] {
  let lastEventId = ''
  return sent.map(({ event = 'message', id, data = '' }) => {
    lastEventId = id ?? lastEventId
    return { type: event, data: data.toWellFormed().replaceAll(/\r\n?/g, '\n'), lastEventId }
  })
}

const END = { event: 'end', data: '' }
const TYPES = ['message', 'a', 'data', 'é:', 'end']
/** Bytes per write of a split stream; `Infinity` sends everything in one write. */
const cuts = oneof(constant(Infinity), integer({ min: 1, max: 50 }))

interface Offer {
  readonly sent: readonly ServerSentEvent[]
  readonly cut: number
}

const offers = new Map<string, Offer>()

/** Stores blocks under their own path. */
function offer(sent: readonly ServerSentEvent[], cut: number): string {
  const name = String(offers.size)
  offers.set(name, { sent: [...sent, END], cut })
  return `/events/${name}`
}

/** Sends blocks in pieces, each in its own turn. The result must not depend on the splits. */
async function sendCut(stream: EventStream, { sent, cut }: Offer): Promise<void> {
  const whole = Buffer.from(sent.map((block) => encodeEvent(block)).join(''))
  for (let at = 0; at < whole.length; at += cut) {
    if (!stream.write(whole.subarray(at, at + cut), 0)) await stream.drained()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function serverOf(options: ConstructorParameters<typeof Server>[0]): Server {
  const server = new Server(options)
  server.router().get('/events/:name', async (ctx) => {
    const stream = await sse(ctx)
    const offered = offers.get(ctx.params.name)
    if (offered === undefined) return
    if (offered.cut === Infinity) await stream.sendMany(offered.sent)
    else await sendCut(stream as EventStream, offered)
    await stream.closed
  })
  server.router().get('/', (ctx) => ctx.html('<!doctype html><title>events</title>'))
  return server
}

beforeAll(() => setSinks([]))

describe('the EventSource from npm', () => {
  it('dispatches the sent events for every split', async () => {
    await using server = serverOf({})
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    await assert(
      asyncProperty(blocks, cuts, async (sent, cut) => {
        const source = new EventSource(new URL(offer(sent, cut), url))
        const seen: Seen[] = []
        await new Promise<void>((resolve) => {
          for (const type of TYPES) {
            source.addEventListener(type, ({ data, lastEventId }) => {
              if (type === 'end') resolve()
              else seen.push({ type, data: String(data), lastEventId })
            })
          }
        })
        source.close()
        expect(seen).toEqual(seenOf(sent))
      }),
      { numRuns: 40 },
    )
    await server.close({ drainMs: 0 })
  })
})

eachProtocol(
  'a parser',
  async ({ tls, http3 }) => {
    const server = serverOf({ ...(tls === undefined ? {} : { tls }), http3 })
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
  },
  (client) => {
    it('dispatches the sent events for every combination of splits', async () => {
      await assert(
        asyncProperty(blocks, cuts, integer({ min: 1, max: 50 }), async (sent, cut, size) => {
          const response = await client().request({ path: offer(sent, cut) })
          const reader = new EventReader()
          for await (const chunk of response.body) {
            for (let at = 0; at < chunk.byteLength; at += size) reader.feed(chunk.subarray(at, at + size))
            if (reader.events.at(-1)?.type === 'end') break
          }
          response.abort()
          expect(reader.events.slice(0, -1)).toEqual(seenOf(sent))
        }),
        { numRuns: 25 },
      )
    })
  },
)

describe("Chromium's EventSource", () => {
  const servers: Server[] = []
  afterAll(async () => {
    for (const server of servers) await server.close({ drainMs: 0 })
  })

  it.each([
    ['http/1.1', false, false],
    ['h2', true, false],
    ['h3', true, true],
  ])('dispatches the sent events over %s for every split', async (protocol, isSecure, http3) => {
    const certificate = await testCertificate()
    const server = serverOf(isSecure ? { tls: { key: certificate.key, cert: certificate.cert }, http3 } : {})
    servers.push(server)
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    const browser = await launchChromium({
      spki: certificate.spkiSha256,
      ...(http3 ? { quicOrigin: url.host } : {}),
    })
    try {
      const page = await browser.newPage()
      await page.goto(url.href)
      await assert(
        asyncProperty(blocks, cuts, async (sent, cut) => {
          const path = offer(sent, cut)
          const seen = await page.evaluate(
            ({ address, types }) =>
              new Promise<unknown[]>((resolve) => {
                const events: unknown[] = []
                const source = new globalThis.EventSource(address)
                for (const type of types) {
                  source.addEventListener(type, (event) => {
                    const { data, lastEventId } = event as MessageEvent
                    if (type !== 'end') events.push({ type, data, lastEventId })
                    else {
                      source.close()
                      resolve(events)
                    }
                  })
                }
              }),
            { address: path, types: TYPES },
          )
          expect(seen).toEqual(seenOf(sent))
        }),
        { numRuns: 25 },
      )
      const used = await page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol")
      expect(used).toBe(protocol)
    } finally {
      await browser.close()
    }
  })
})
