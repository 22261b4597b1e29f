import { setImmediate } from 'node:timers/promises'
import { setSinks } from '@fw/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webSocket } from '../src/index.ts'
import { AUTOBAHN_CASES, type AutobahnCase } from './autobahn-cases.ts'
import { closeFrame, encodeFrame } from './frames.ts'
import { CARRIERS, openRaw, type RawClient } from './raw-client.ts'
import { serve, type Served } from './serve.ts'

beforeAll(() => setSinks([]))

it('covers every case of the classes 1 to 7 and 10', () => {
  expect(new Set(AUTOBAHN_CASES.map(({ id }) => id)).size).toBe(247)
})

describe.each(CARRIERS)('an Autobahn case on %s', (carrier) => {
  let served: Served

  beforeAll(async () => {
    served = await serve(carrier, (router) => {
      webSocket(router, '/', { maxMessageBytes: 2 ** 20 }, { message: (socket, data) => socket.send(data) })
    })
  })
  afterAll(() => served[Symbol.asyncDispose]())

  it.each(AUTOBAHN_CASES)('passes $id', async (autobahn) => {
    const client = await openRaw(carrier, served.port, '/')
    await sendAll(client, autobahn)
    const { replies, closes } = autobahn
    await expect.poll(() => client.frames.length >= replies.length || client.hasEnded, { interval: 2 }).toBe(true)
    if (closes === 'client') await client.send(closeFrame(1000))
    await client.ended
    expect(client.frames.slice(0, -1)).toEqual(replies)
    const [name, code] = client.frames.at(-1)?.split(' ') ?? []
    expect(name).toBe('close')
    expect(closes === 'client' ? [1000] : closes).toContain(code === undefined ? undefined : Number(code))
    expect(client.rest).toHaveLength(0)
    client.destroy()
  })
})

async function sendAll(client: RawClient, { sends, chopBytes }: AutobahnCase): Promise<void> {
  let bytes = Buffer.alloc(0)
  for (const frame of sends) {
    if (frame === 'pause') {
      await client.write(bytes)
      bytes = Buffer.alloc(0)
      await setImmediate()
      await setImmediate()
    } else bytes = Buffer.concat([bytes, encodeFrame(frame)])
    if (client.hasEnded) return
  }
  if (bytes.length > 0) await client.write(bytes, chopBytes)
}
