import { Server } from '@fw/core'
import { type ServerWebSocket, webSocket } from '@fw/websocket'

type Member = Pick<ServerWebSocket, 'send'>

const rooms = new Map<string, Set<Member>>()

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()

webSocket(
  router,
  '/rooms/:room',
  { maxMessageBytes: 4 * 1024 },
  {
    open(socket) {
      const { room } = socket.ctx.params
      rooms.set(room, (rooms.get(room) ?? new Set()).add(socket))
    },
    message(socket, text) {
      // A member that reads too slowly is disconnected, so do not wait for each one.
      for (const member of rooms.get(socket.ctx.params.room) ?? []) void member.send(text)
    },
    close(socket) {
      const { room } = socket.ctx.params
      const members = rooms.get(room)
      members?.delete(socket)
      if (members?.size === 0) rooms.delete(room)
    },
  },
)

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
