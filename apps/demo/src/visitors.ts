import { createHash, randomBytes } from 'node:crypto'
import { contextKey, type Context, type ContextKey, type Middleware } from '@fw/core'
import { CLIENT_FIELD } from './clients/tasks.ts'
import type { CurrentRequest } from './observe/observed.ts'

/** Public name of the visitor that sent a request. The cookie has a different, secret value. */
export const Visitor: ContextKey<string> = contextKey<string>('visitor', 'router.use(visitors.middleware)')

const VISITOR_BYTES = 16
const VISITOR = /^[\w-]{22}$/
const NAME_LENGTH = 10

/** Recognizes visitors by a cookie, and the demo's clients by a secret. */
export class Visitors {
  /** The clients' secret. */
  readonly secret: string = randomBytes(VISITOR_BYTES).toString('base64url')
  readonly #current: CurrentRequest

  constructor(current: CurrentRequest) {
    this.#current = current
  }

  /** Sets `Visitor`, and the visitor of the observed request. */
  readonly middleware: Middleware = (ctx, next) => {
    const visitor = this.#clientOf(ctx) ?? visitorName(recognize(ctx))
    ctx.set(Visitor, visitor)
    const observed = this.#current.get()
    if (observed !== undefined) observed.by = visitor
    return next()
  }

  /**
   * Returns the sender that one of the demo's clients states: `demo`, `race`, or the visitor for whom it sends the request.
   */
  #clientOf(ctx: Context): string | undefined {
    const field = ctx.headers.get(CLIENT_FIELD)
    if (field === null || !field.startsWith(`${this.secret} `)) return undefined
    return field.slice(this.secret.length + 1)
  }
}

/** Returns a visitor's name for pages and messages. It does not reveal the cookie. */
function visitorName(cookie: string): string {
  return createHash('sha256').update(cookie).digest('base64url').slice(0, NAME_LENGTH)
}

/** Returns the visitor from the cookie, or sets a new cookie. */
function recognize({ cookies, exchange }: Context): string {
  const isSecure = exchange.scheme === 'https'
  // All ports of a host share cookies, and a response without TLS cannot replace a `Secure` cookie of the same name.
  const name = isSecure ? '__Host-visitor' : 'visitor'
  const known = cookies.get(name)
  if (known !== null && VISITOR.test(known)) return known
  const visitor = randomBytes(VISITOR_BYTES).toString('base64url')
  cookies.set(name, visitor, { sameSite: 'strict', secure: isSecure })
  return visitor
}
