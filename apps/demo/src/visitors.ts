import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { contextKey, type Context, type ContextKey, type Middleware } from '@fw/core'

/** The visitor who sent a request: a random name that only their browser has. */
export const Visitor: ContextKey<string> = contextKey<string>('visitor', 'router.use(…visitors.around(accessLog()))')

const VISITOR_BYTES = 16
const VISITOR = /^[\w-]{22}$/

/** Knows the visitor whose request makes a log record, so that other visitors do not see it. */
export class Visitors {
  readonly #handling = new AsyncLocalStorage<string>()
  #finished: string | undefined = undefined

  /** The visitor whose handler or access-log entry runs now, if any. */
  get current(): string | undefined {
    return this.#finished ?? this.#handling.getStore()
  }

  /** Middleware around an access log. It logs when the exchange is over, outside of the handler. */
  around(accessLog: Middleware): readonly Middleware[] {
    const before: Middleware = (ctx, next) => {
      const visitor = recognize(ctx)
      ctx.set(Visitor, visitor)
      // Listeners run in the order in which they were added: this one, that of the access log, that of `after`.
      ctx.onFinish(() => (this.#finished = visitor))
      return this.#handling.run(visitor, next)
    }
    const after: Middleware = (ctx, next) => {
      ctx.onFinish(() => (this.#finished = undefined))
      return next()
    }
    return [before, accessLog, after]
  }
}

/** Returns the visitor that the cookie names, or gives the browser a new one. */
function recognize({ cookies, exchange }: Context): string {
  const isSecure = exchange.scheme === 'https'
  // A cookie without TLS cannot replace one of that name with TLS, and ports of a host share their cookies.
  const name = isSecure ? '__Host-visitor' : 'visitor'
  const known = cookies.get(name)
  if (known !== null && VISITOR.test(known)) return known
  const visitor = randomBytes(VISITOR_BYTES).toString('base64url')
  cookies.set(name, visitor, { sameSite: 'strict', secure: isSecure })
  return visitor
}
