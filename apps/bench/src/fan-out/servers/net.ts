/** Lower bound: writes one shared Buffer to bare sockets in a loop, without HTTP. */
import { createServer, type Socket } from 'node:net'
import { EVENT_DATA, EVENT_NAME } from '../event-text.ts'
import { portOf, serve } from '../serve.ts'

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const sockets = new Set<Socket>()

const server = createServer((socket) => {
  socket.once('data', () => {
    socket.write(HEAD)
    sockets.add(socket)
  })
  socket.on('error', () => {})
  socket.on('close', () => sockets.delete(socket))
})
let sequence = 0
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  serve(portOf(server.address()), () => {
    const block = `event: ${EVENT_NAME}\nid: ${sequence++}\ndata: ${EVENT_DATA}\n\n`
    const chunk = Buffer.from(`${block.length.toString(16)}\r\n${block}\r\n`)
    for (const socket of sockets) socket.write(chunk)
  })
})
