import { once } from 'node:events'
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2'
import { expect, it, onTestFinished } from 'vitest'
import { Random } from '@fw/testing/fuzz'
import { serveEngines } from '../serve-engines.ts'

interface ReceivedResponse {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: number
}

/** Returns random fields: repeated, unique and never indexed ones. Each name occurs once. */
function responseFields(random: Random): string[] {
  const fields = new Map<string, string>()
  while (random.chance(0.8)) {
    const number = random.below(random.pick([2, 30, 1e9]))
    const name = random.pick(['content-type', 'x-a', 'x-b', 'vary', 'etag', 'location', `x-${number}`])
    fields.set(name, `v${number}`.repeat(random.pick([1, 1, 5, 100])))
  }
  return [...fields].flat()
}

it('sends responses that nghttp2 reads unchanged, with random fields, lengths, windows and table sizes', async () => {
  const random = new Random(1)
  const sent = new Map<string, { fields: string[]; bytes: number }>()
  const { port } = await serveEngines((exchange) => {
    const response = { fields: responseFields(random), bytes: random.pick([0, 10, 5000, 20_000, 100_000]) }
    sent.set(exchange.target, response)
    exchange.start(200, response.fields)
    if (response.bytes > 0) exchange.write(Buffer.alloc(response.bytes, 'x'))
    exchange.end(random.chance(0.3) ? ['x-trailer', 't'] : [])
  })
  const session = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => session.destroy())
  await once(session, 'remoteSettings')
  for (let round = 0; round < 15; round++) {
    if (random.chance(0.7)) changeSettings(session, random)
    const paths = Array.from({ length: 10 }, (_, i) => `/${round}/${i}`)
    const responses = await Promise.all(paths.map((path) => get(session, path)))
    for (const { path, headers, bytes } of responses) {
      const expected = sent.get(path)
      expect(bytes).toBe(expected?.bytes)
      const fields = expected?.fields ?? []
      for (let i = 0; i < fields.length; i += 2) expect(headers[fields[i] ?? '']).toBe(fields[i + 1])
    }
  }
})

function changeSettings(session: ClientHttp2Session, random: Random): void {
  for (let times = 1 + random.below(3); times > 0; times--) {
    session.settings({
      headerTableSize: random.pick([0, 60, 300, 4096, 65_536]),
      initialWindowSize: random.pick([1000, 65_535, 1_000_000]),
    })
  }
}

async function get(session: ClientHttp2Session, path: string): Promise<ReceivedResponse> {
  const stream = session.request({ ':path': path })
  let bytes = 0
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length))
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  await once(stream, 'end')
  return { path, headers, bytes }
}
