import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import send from 'send'

const root = process.argv[2] ?? '.'
const server = createServer((request, response) => send(request, request.url ?? '/', { root }).pipe(response))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
