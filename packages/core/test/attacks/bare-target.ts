/** Baseline for any JavaScript server: accepts connections, reads and discards requests, and responds. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { reportToParent } from './target-state.ts'

const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
const END = Buffer.from('\r\n\r\n')

const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (data: Buffer) => {
    if (data.subarray(-END.length).equals(END)) socket.write(RESPONSE)
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
await once(server, 'listening')
reportToParent((server.address() as AddressInfo).port)
