import { createServer } from 'node:http'
import sirv from 'sirv'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const serve = sirv(serverSetup().directory ?? '.', { etag: true, gzip: true })
const server = createServer((request, response) => serve(request, response))
server.listen(0, '127.0.0.1', () => ready(portOf(server)))
