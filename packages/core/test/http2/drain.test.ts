import { connect, constants, type ClientHttp2Session } from 'node:http2'
import { expect, it, onTestFinished } from 'vitest'
import { serveEngines, type RunningEngines } from '../serve-engines.ts'

const AT_ONCE = 50
const WAIT = { timeout: 8000 }

/** Answers some milliseconds later, so that there are always requests under way. */
const serve = (): Promise<RunningEngines> =>
  serveEngines((exchange) => {
    setTimeout(() => exchange.respond(200, [], 'hello'), 5 * Math.random())
  })

function session(port: number): ClientHttp2Session {
  const client = connect(`http://127.0.0.1:${port}`)
  client.on('error', () => {})
  onTestFinished(() => client.destroy())
  return client
}

/** What became of a request: its status, the name of an error, or `unsent` if the session was known to end. */
function ask(client: ClientHttp2Session): Promise<string> {
  if (client.closed || client.destroyed) return Promise.resolve('unsent')
  return new Promise((resolve) => {
    const stream = client.request({ ':path': '/' })
    let outcome = 'cut off'
    stream.on('response', (fields) => (outcome = String(fields[':status'])))
    stream.on('error', () => {})
    stream.on('close', () => resolve(stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? 'refused' : outcome))
    stream.resume().end()
  })
}

it('RFC 9113 §6.8: of requests that cross GOAWAY none is run, so that each may be sent again, and none fails', async () => {
  const before = await serve()
  const after = await serve()
  const clients = [session(before.port), session(after.port)] as const
  const outcomes: string[] = []
  let isOver = false
  const keepAsking = async (): Promise<void> => {
    while (!isOver) {
      const outcome = await ask(clients[0])
      outcomes.push(outcome)
      if (outcome === '200') continue
      // What RFC 9113 §8.7 calls safe goes to the server that took over.
      outcomes.push(`again: ${await ask(clients[1])}`)
      break
    }
  }
  const asking = Array.from({ length: AT_ONCE }, keepAsking)
  await expect.poll(() => outcomes.length, WAIT).toBeGreaterThan(4 * AT_ONCE)
  await before.listener.drain()
  await Promise.all(asking)
  isOver = true
  const count = (outcome: string): number => outcomes.filter((each) => each === outcome).length
  expect(new Set(outcomes).difference(new Set(['200', 'refused', 'unsent', 'again: 200']))).toEqual(new Set())
  expect(count('again: 200')).toBe(AT_ONCE)
  expect(before.outcomes).toHaveLength(count('200'))
  expect(before.outcomes.every(({ aborted }) => !aborted)).toBe(true)
})
