import { randomBytes, scrypt as scryptCallback, scryptSync, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { HttpError, type Middleware, Server } from '@fw/core'

/** The first secret signs, all secrets verify. If the variable is not set, sessions end with the process. */
const secrets = process.env['COOKIE_SECRETS']?.split(' ') ?? [randomBytes(32).toString('base64url')]
const session = { secrets, maxAgeSeconds: 8 * 60 * 60 }

const scrypt = promisify<string, Buffer, number, Buffer>(scryptCallback)
/** Password hashes. A real application stores them in a database, each with its own salt. */
const salt = randomBytes(16)
const users = new Map([['ada', scryptSync('correct horse', salt, 32)]])
const unknownUser = randomBytes(32)

/** Refuses state-changing requests that another site's page made the browser send (CSRF). */
const sameOrigin: Middleware = (ctx, next) => {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return next()
  const site = ctx.headers.get('sec-fetch-site')
  const origin = ctx.headers.get('origin')
  const isSame =
    site === null ? origin === null || URL.parse(origin)?.host === ctx.headers.get('host') : site === 'same-origin'
  if (!isSame) throw new HttpError(403, 'The request comes from another site')
  return next()
}

export const server = new Server({ shutdown: 'signals', trustProxy: false })
const router = server.router()
router.use(sameOrigin)

router.get('/', (ctx) => {
  const user = ctx.cookies.get('user', session)
  if (user === null) return ctx.redirect('/login')
  // The name is one of `users`. Escape text that users choose.
  return ctx.html(`<!doctype html><title>Home</title>
<p>Hello ${user}</p> <form method="post" action="/logout"><button>Log out</button></form>`)
})

router.get('/login', (ctx) =>
  ctx.html(`<!doctype html><title>Log in</title>
<form method="post">
  <input name="name" autocomplete="username" required>
  <input name="password" type="password" autocomplete="current-password" required> <button>Log in</button>
</form>`),
)

router.post('/login', async (ctx) => {
  const form = await ctx.form()
  const name = form.get('name') ?? ''
  const hash = await scrypt(form.get('password') ?? '', salt, 32)
  const isUser = timingSafeEqual(hash, users.get(name) ?? unknownUser)
  if (!isUser) throw new HttpError(403, 'The name or the password is wrong')
  ctx.cookies.set('user', name, session) // HttpOnly, SameSite=Lax, and Secure over TLS
  return ctx.redirect('/', 303)
})

router.post('/logout', (ctx) => {
  ctx.cookies.delete('user')
  return ctx.redirect('/login', 303)
})

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
