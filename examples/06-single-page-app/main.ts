import { existsSync } from 'node:fs'
import { Server } from '@fw/core'
import { staticFiles } from '@fw/static'

const dist = new URL('dist/', import.meta.url)
if (!existsSync(dist)) await import('./build.ts')

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()

const api = router.group('/api')
api.get('/hello/:name', (ctx) => ({ hello: ctx.params.name }))
api.all('/*path', (ctx) => ctx.notFound()) // otherwise unknown API paths would get the page

staticFiles(router, '/', dist, {
  spa: true,
  // Vite adds a hash of the content to asset names.
  cacheControl: (path) => (path.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache'),
})

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
