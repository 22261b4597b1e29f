/** Runs a server that exits when its first request has ended. Prints its URL. */
import { Server } from '../../src/index.ts'

const server = new Server()
server.router().get('/', (ctx) => {
  ctx.onFinish(() => process.exit())
  return 'good bye'
})
const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
console.log(url.href)
