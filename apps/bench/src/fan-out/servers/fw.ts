import { Server } from '@fw/core'
import { setSinks } from '@fw/log'
import { SseChannel } from '@fw/sse'
import { EVENT_DATA, EVENT_NAME } from '../event-text.ts'
import { serve } from '../serve.ts'

setSinks([])
const channel = new SseChannel()
const server = new Server()
server.router().get('/', (ctx) => channel.serve(ctx))
const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
serve(Number(url.port), () => channel.publish(EVENT_NAME, EVENT_DATA))
