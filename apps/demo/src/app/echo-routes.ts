import type { IncomingMessage } from 'node:http'
import { HttpError, type Router } from '@fw/core'
import '@fw/sse/register'
import type { SseStream } from '@fw/sse'
import { WebSocketServer } from 'ws'
import { Visitor } from '../visitors.ts'

/** Maximum number of concurrent echo streams. Only the race opens them, one at a time. */
const MAX_STREAMS = 4
/** Maximum size of a message in bytes. */
const MAX_MESSAGE_BYTES = 1024

/**
 * Registers the routes for the echo race: an event stream that repeats POST bodies, and a WebSocket that repeats its
 * messages.
 */
export function registerEchoRoutes(app: Router): void {
  const streams = new Map<string, SseStream>()
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })
  const echo = app.group('/race-echo')

  echo.get('/events/:id', async (ctx) => {
    if (ctx.local(Visitor) !== 'race' || streams.size >= MAX_STREAMS) return ctx.notFound()
    const stream = await ctx.sse()
    streams.set(ctx.params.id, stream)
    await stream.comment('open')
    await stream.closed
    streams.delete(ctx.params.id)
    return undefined
  })
  echo.post('/events/:id', { limits: { maxBodyBytes: MAX_MESSAGE_BYTES } }, async (ctx) => {
    const stream = streams.get(ctx.params.id)
    if (stream === undefined) throw new HttpError(404)
    await stream.data(await ctx.text())
    ctx.empty()
  })
  echo.get('/socket', (ctx) => {
    const upgrade = ctx.local(Visitor) === 'race' ? ctx.exchange.upgrade : undefined
    if (upgrade === undefined) return ctx.notFound()
    const request = { method: ctx.method, url: ctx.exchange.target, headers: Object.fromEntries(ctx.headers) }
    const { socket, head } = upgrade()
    sockets.handleUpgrade(request as unknown as IncomingMessage, socket, Buffer.from(head), (peer) => {
      ctx.onDrain(() => peer.close(1001))
      peer.on('error', () => peer.terminate())
      peer.on('message', (data, isBinary) => peer.send(data, { binary: isBinary }))
    })
    return undefined
  })
}
