import { describe, expect, it } from 'vitest'
import { serveEngines } from '../serve-engines.ts'
import { data } from './frames.ts'
import { headers } from './hpack.ts'
import { RawClient, request } from './raw-client.ts'

/** Returns the total size of the buffers behind the pieces, each counted once. */
function keptBytes(pieces: readonly Uint8Array[]): number {
  return [...new Set(pieces.map(({ buffer }) => buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0)
}

describe('a body in one-byte frames between frames on other streams', () => {
  it('does not keep the buffers of the other frames alive', async () => {
    const pieces: Uint8Array[] = []
    const { port } = await serveEngines((exchange) => {
      exchange.body.consume({
        data: (piece) => exchange.target === '/kept' && pieces.push(piece),
        end: () => exchange.respond(200, [], null),
        error: () => {},
      })
    })
    const client = await RawClient.connect(port)
    client.send(headers(1, request('POST', '/kept'), 0), headers(3, request('POST', '/filler'), 0))
    const filler = data(3, Buffer.alloc(16_000))
    for (let n = 0; n < 100; n++) {
      client.send(data(1, 'x'), filler)
      await client.ping()
    }
    expect(pieces).toHaveLength(100)
    // The pieces share buffers.
    expect(keptBytes(pieces)).toBeLessThan(20_000)
  })
})
