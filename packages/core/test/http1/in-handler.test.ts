import { setTimeout as delay } from 'node:timers/promises'
import * as log from '@fw/log'
import { rawExchange } from '@fw/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Context } from '@fw/types'
import { Server } from '../../src/index.ts'

log.setSinks([])

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

interface Running {
  readonly port: number
  readonly server: Server
}

async function serve(handler: (ctx: Context, server: Server) => unknown): Promise<Running> {
  const server = new Server()
  onTestFinished(() => server.close({ drainMs: 0 }))
  server.router().get('/', (ctx) => handler(ctx, server) as string)
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' })
  return { port: port ?? 0, server }
}

describe('a handler', () => {
  it('sends its response after it closes the server, and later requests are not served', async () => {
    const { port, server } = await serve((_, running) => {
      void running.close()
      return 'last'
    })
    const { text, ended } = await rawExchange(port, get + get)
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    expect(text).toMatch(/connection: close\r\n[^]*last$/)
    expect(ended).toBe('fin')
    await server.close()
  })

  it('aborts the response if it fails after the head, and later requests are not served', async () => {
    const { port } = await serve(
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(Buffer.from('half')),
            pull: async (controller) => {
              // A failure before the head is sent causes a 500.
              await delay(20)
              controller.error(new Error('broken'))
            },
          }),
        ),
    )
    const { text } = await rawExchange(port, get + get)
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(text).toMatch(/4\r\nhalf\r\n$/)
  })

  it.each<[string, (ctx: Context) => void]>([
    ['whole', (ctx) => ctx.text('again')],
    ['streamed', (ctx) => void ctx.startResponse()],
  ])('receives an error for a second response (%s), and the first one is sent', async (_, again) => {
    const thrown: unknown[] = []
    const { port } = await serve((ctx) => {
      const body = ctx.startResponse()
      try {
        again(ctx)
      } catch (error) {
        thrown.push(error)
      }
      body.write(Buffer.from('once'))
      body.end()
    })
    const { text } = await rawExchange(port, get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(text).toMatch(/4\r\nonce\r\n0\r\n\r\n$/)
    expect(thrown).toMatchObject([{ message: /^Cannot respond/ }])
  })
})
