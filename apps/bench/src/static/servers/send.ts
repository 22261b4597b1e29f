import { createServer } from 'node:http'
import send from 'send'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const { directory: root = '.' } = serverSetup()
const server = createServer((request, response) => send(request, request.url ?? '/', { root }).pipe(response))
server.listen(0, '127.0.0.1', () => ready(portOf(server)))
