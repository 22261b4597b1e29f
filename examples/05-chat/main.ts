import type { IncomingMessage } from 'node:http'
import { HttpError, Server } from '@fw/core'
import { type WebSocket, WebSocketServer } from 'ws'

const MAX_BUFFERED_BYTES = 1024 * 1024

const sockets = new WebSocketServer({ noServer: true, maxPayload: 4 * 1024 })
const rooms = new Map<string, Set<WebSocket>>()

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()

router.get('/rooms/:room', (ctx) => {
  const { upgrade } = ctx.exchange
  if (upgrade === undefined) throw new HttpError(426, undefined, { headers: { upgrade: 'websocket' } })
  const origin = ctx.headers.get('origin') // pages from other sites can also connect, with the user's cookies
  if (origin !== null && new URL(origin).host !== ctx.headers.get('host')) throw new HttpError(403)

  const { room } = ctx.params
  const request = { method: ctx.method, url: ctx.exchange.target, headers: Object.fromEntries(ctx.headers) }
  const { socket, head } = upgrade()
  sockets.handleUpgrade(request as IncomingMessage, socket, Buffer.from(head), (member) => {
    join(room, member)
    ctx.onDrain(() => member.close(1001)) // the server is closing
  })
})

/** Adds a member to a room until the connection ends. */
function join(name: string, member: WebSocket): void {
  const members = rooms.get(name) ?? new Set()
  rooms.set(name, members.add(member))
  member.on('error', () => {}) // an invalid frame; ws closes the connection
  member.on('message', (text) => send(members, text as Buffer))
  member.on('close', () => {
    members.delete(member)
    if (members.size === 0) rooms.delete(name)
  })
}

function send(members: Iterable<WebSocket>, text: Buffer): void {
  for (const member of members) {
    if (member.bufferedAmount > MAX_BUFFERED_BYTES) member.terminate() // the member reads too slowly
    else member.send(text, { binary: false })
  }
}

router.get('/', (ctx) =>
  ctx.html(`<!doctype html><title>Chat</title>
<ul></ul> <form><input autofocus> <button>Send</button></form>
<script type="module">
  const socket = new WebSocket('/rooms/lobby')
  const [list, form, input] = ['ul', 'form', 'input'].map((name) => document.querySelector(name))
  socket.addEventListener('message', ({ data }) => {
    list.append(Object.assign(document.createElement('li'), { textContent: data }))
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    socket.send(input.value)
    form.reset()
  })
</script>`),
)

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
