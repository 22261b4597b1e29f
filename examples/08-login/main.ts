import { accessLog, requestId } from '@fw/access-log'
import { hashPassword, verifyPassword } from '@fw/auth/password'
import { compress } from '@fw/compress'
import { HttpError, type Middleware, Server } from '@fw/core'
import { csrf } from '@fw/csrf'
import { etag } from '@fw/etag'
import { memoryRateLimits, rateLimit, shedLoad } from '@fw/rate-limit'
import { redisRateLimits } from '@fw/rate-limit/redis'
import { securityHeaders } from '@fw/security-headers'
import { memorySessions, session } from '@fw/session'
import { redisSessions } from '@fw/session/redis'
import { createClient } from 'redis'

/** With Redis, all processes share the sessions and the limits. */
const url = process.env['REDIS_URL']
const redis = url === undefined ? undefined : createClient({ url }).on('error', console.error)
const store = redis === undefined ? memoryRateLimits() : redisRateLimits(redis)

interface Data {
  user: string
  failures: number
}
const sessions = session<Data>({ store: redis === undefined ? memorySessions() : redisSessions(redis) })

/** Hashes of passwords. A database would store them. */
const users = new Map([['ada', await hashPassword('correct horse')]])

export const server = new Server({ shutdown: 'signals', trustProxy: false })
// The recommended order: a refused request is still logged, and cheap checks run before expensive ones.
const router = server
  .router()
  .use(accessLog(), requestId(), securityHeaders(), shedLoad(), rateLimit({ limit: 600, store }))
  .use(compress(), csrf(), sessions, etag())

/** Limits the guesses of passwords per client address. */
const fewGuesses = rateLimit({ name: 'login', limit: 10, store, onStoreError: 'refuse' })

const signedIn: Middleware = async (ctx, next) =>
  (await sessions.of(ctx)).data.user === undefined ? ctx.redirect('/login') : next()

router.get('/', { use: signedIn }, async (ctx) => {
  const { user, failures = 0 } = (await sessions.of(ctx)).data
  // The name is one of `users`. Escape text that users choose.
  return ctx.html(`<!doctype html><title>Home</title>
<p>Hello ${user}, after ${failures} wrong passwords</p>
<form method="post" action="/logout"><button>Log out</button></form>`)
})

router.get('/login', (ctx) =>
  ctx.html(`<!doctype html><title>Log in</title>
<form method="post">
  <input name="name" autocomplete="username" required>
  <input name="password" type="password" autocomplete="current-password" required> <button>Log in</button>
</form>`),
)

router.post('/login', { use: fewGuesses }, async (ctx) => {
  const form = await ctx.form()
  const user = form.get('name') ?? ''
  const current = await sessions.of(ctx)
  if (!(await verifyPassword(form.get('password') ?? '', users.get(user)))) {
    current.update(({ failures = 0 }) => ({ failures: failures + 1 }))
    throw new HttpError(403, 'The name or the password is wrong')
  }
  current.rotate() // An id from before the login is no longer valid.
  current.update({ user })
  return ctx.redirect('/', 303)
})

router.post('/logout', async (ctx) => {
  const current = await sessions.of(ctx)
  current.destroy()
  return ctx.redirect('/login', 303)
})

await redis?.connect()
if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
