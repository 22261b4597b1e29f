import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sirv from 'sirv'

const serve = sirv(process.argv[2] ?? '.', { etag: true })
const server = createServer((request, response) => serve(request, response))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
