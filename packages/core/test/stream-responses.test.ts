import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import * as log from '@fw/log'
import { connect } from '@fw/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { Server } from '../src/index.ts'

beforeAll(() => log.setSinks([]))

describe('a stream', () => {
  it.each(['GET', 'HEAD'])(
    'aborts only its own response if it fails while middleware is running (%s)',
    async (method) => {
      await using server = new Server()
      server
        .router()
        .use(async (_ctx, next) => {
          await next()
          await sleep(50)
        })
        .get('/missing', () => createReadStream('/there/is/no/such/file'))
        .get('/', () => 'hello')
      const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
      const client = await connect('h2c', { port })
      const whole = async (): Promise<string> => (await client.request({ method, path: '/missing' })).text()
      await whole().catch(() => 'aborted')
      expect(await (await client.request({ path: '/' })).text()).toBe('hello')
      await client.close()
    },
  )

  it('returns two pieces of a request body to concurrent reads', async () => {
    await using server = new Server()
    server.router().post('/', async (ctx) => {
      const reader = ctx.stream().getReader()
      const pieces = await Promise.all([reader.read(), reader.read()])
      return pieces.map(({ value }) => value?.byteLength ?? 'end').join()
    })
    const { port = 0 } = await server.listen({ port: 0, host: '127.0.0.1' })
    const client = await connect('h1', { port })
    expect(await (await client.request({ path: '/', body: 'abc' })).text()).toBe('3,end')
    await client.close()
  })
})
