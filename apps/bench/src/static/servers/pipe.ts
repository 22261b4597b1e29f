import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const root = process.argv[2] ?? '.'
const server = createServer((request, response) => {
  const path = join(root, request.url ?? '/')
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': statSync(path).size,
  })
  createReadStream(path).pipe(response)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
