import { checkOptions, optionError } from '@fw/options'
import type { Context, ContextKey, Next } from '@fw/types'
import { CREATE_SECRET, MEANT, SEALED_KINDS, type SealedSessionOptions, settingsOf } from './options.ts'
import { Sealer } from './seal.ts'
import { SealedRequestSession, type SealedSettings } from './sealed-request-session.ts'
import type { Session, Sessions } from './session.ts'

/** Creates the session of one request on first use. */
class LazySession<Data extends object> {
  readonly #ctx: Context
  readonly #settings: SealedSettings
  #session: Promise<SealedRequestSession<Data>> | undefined = undefined

  constructor(ctx: Context, settings: SealedSettings) {
    this.#ctx = ctx
    this.#settings = settings
  }

  open(): Promise<SealedRequestSession<Data>> {
    return (this.#session ??= Promise.resolve(new SealedRequestSession(this.#ctx, this.#settings)))
  }
}

/**
 * Creates middleware that keeps sessions in an encrypted cookie, without a store.
 *
 * A sealed session cannot be revoked: `destroy()` deletes the browser's cookie, but copies of the cookie remain valid until
 * they expire. Use `session()` if a logout must end a session everywhere.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 *
 * @example
 * const sessions = sealedSession<{ user: string }>({ secrets: [process.env.SESSION_SECRET ?? randomBytes(32)] })
 * router.use(sessions)
 * router.get('/', async (ctx) => (await sessions.of(ctx)).data.user ?? 'not signed in')
 */
export function sealedSession<Data extends object>(options: SealedSessionOptions): Sessions<Data> {
  const api = 'sealedSession'
  checkOptions(api, options, SEALED_KINDS, MEANT)
  const { secrets, maxCookieBytes = 4096 } = options
  if (secrets === undefined) {
    throw optionError({
      api,
      name: 'secrets',
      expected: SEALED_KINDS.secrets.expected,
      got: 'undefined',
      fix: CREATE_SECRET,
    })
  }
  const settings = { ...settingsOf(api, options), sealer: new Sealer(secrets), maxCookieBytes }
  const key: ContextKey<LazySession<Data>> = { name: 'the session', hint: 'add router.use(sessions) before this route' }
  const middleware = (ctx: Context, next: Next): Promise<void> => {
    // A router and one of its groups can use the same middleware.
    if (ctx.get(key) === null) ctx.set(key, new LazySession<Data>(ctx, settings))
    return next()
  }
  return Object.assign(middleware, {
    of: async (ctx: Context): Promise<Session<Data>> => ctx.local(key).open(),
  })
}
