import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { portOf, ready, serverSetup } from '../../server-program.ts'

const { directory: root = '.' } = serverSetup()
const server = createServer((request, response) => {
  const path = join(root, request.url ?? '/')
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': statSync(path).size,
  })
  createReadStream(path).pipe(response)
})
server.listen(0, '127.0.0.1', () => ready(portOf(server)))
