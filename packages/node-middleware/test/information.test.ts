import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { eachProtocol } from '@fw/testing'
import { beforeAll, expect, it } from 'vitest'
import { fromNode } from '../src/index.ts'

beforeAll(() => setSinks([]))

eachProtocol(
  'a response with more than one section',
  async ({ tls, http3 }) => {
    const server = new Server({ ...(tls === undefined ? {} : { tls }), http3 })
    const router = server.router()
    router.get(
      '/hints',
      fromNode((_req, res) => {
        res.writeProcessing()
        res.writeEarlyHints({ link: ['</a.css>; rel=preload', '</b.js>; rel=preload'] }, () => res.end('hinted'))
      }),
    )
    router.get(
      '/trailers',
      fromNode((_req, res) => {
        res.writeHead(200, { trailer: 'x-sum' })
        res.write('body')
        res.addTrailers({ 'X-Sum': '7' })
        res.end()
      }),
    )
    router.get(
      '/whole-with-trailers',
      fromNode((_req, res) => {
        res.addTrailers([['x-sum', '8']])
        res.end('body')
      }),
    )
    const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
    return { port: Number(url.port), close: () => server.close({ drainMs: 0 }) }
  },
  (client) => {
    it('sends informational responses', async () => {
      const response = await client().request({ path: '/hints' })
      expect([response.informational, response.status, await response.text()]).toEqual([[102, 103], 200, 'hinted'])
    })

    it.each([
      ['/trailers', '7'],
      ['/whole-with-trailers', '8'],
    ])('sends the trailer fields of %s', async (path, sum) => {
      const response = await client().request({ path })
      expect(await response.text()).toBe('body')
      expect(await response.trailers).toEqual([['x-sum', sum]])
    })
  },
)
