/**
 * Runs an application with a repeating timer: `with-timers.ts <options of Server> [own]`. With `own`, it also handles
 * SIGTERM. Prints its URL.
 */
import { Server } from '../../src/index.ts'

const [options = '{}', own] = process.argv.slice(2)
const server = new Server({ shutdown: 'signals', ...JSON.parse(options) })
server.router().get('/never', (ctx) => {
  ctx.startResponse().write(Buffer.from('begun'))
  return new Promise(() => {})
})
setInterval(() => {}, 1000)
process.on('exit', () => console.log('exit'))
if (own === 'own') {
  process.once('SIGTERM', () => {
    setTimeout(() => {
      console.log('saved')
      process.exit(7)
    }, 300)
  })
}
const { url } = await server.listen({ port: 0, host: '127.0.0.1' })
console.log(url.href)
