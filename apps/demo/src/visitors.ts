import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { contextKey, type Context, type ContextKey, type Middleware } from '@fw/core'

/** The visitor who sent a request: a random name that only the browser of the visitor has. */
export const Visitor: ContextKey<string> = contextKey<string>('visitor', 'router.use(…visitors.around(accessLog()))')

const VISITOR_BYTES = 16
const VISITOR = /^[\w-]{22}$/

/** Knows the visitor whose request a log record is about, so that other visitors do not see it. */
export class Visitors {
  readonly #handling = new AsyncLocalStorage<string>()
  #finished: string | undefined = undefined

  /** The visitor whose handler or access-log entry runs now, if any. */
  get current(): string | undefined {
    return this.#finished ?? this.#handling.getStore()
  }

  /** Returns middleware around an access log, which logs when the exchange is over, outside the handler. */
  around(accessLog: Middleware): readonly Middleware[] {
    const before: Middleware = (ctx, next) => {
      const visitor = recognize(ctx)
      ctx.set(Visitor, visitor)
      // Listeners run in the order in which they were added: this one, the one of the access log, the one of `after`.
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
  // Ports of a host share their cookies, and a cookie without TLS cannot replace one with TLS of the same name.
  const name = isSecure ? '__Host-visitor' : 'visitor'
  const known = cookies.get(name)
  if (known !== null && VISITOR.test(known)) return known
  const visitor = randomBytes(VISITOR_BYTES).toString('base64url')
  cookies.set(name, visitor, { sameSite: 'strict', secure: isSecure })
  return visitor
}
