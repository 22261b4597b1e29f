import { checkOptions, optionError, withCode } from '@fw/options'
import type { Context, ContextKey, Next } from '@fw/types'
import { MEANT, SESSION_KINDS, type SessionOptions, settingsOf } from './options.ts'
import { SaveQueue } from './save-queue.ts'
import type { Session, Sessions } from './session.ts'
import { StoredRequestSession, type StoredSettings } from './stored-request-session.ts'

/** Reads the session of one request on first use and saves it. */
class LazySession<Data extends object> {
  readonly #ctx: Context
  readonly #settings: StoredSettings
  #session: Promise<StoredRequestSession<Data>> | undefined = undefined

  constructor(ctx: Context, settings: StoredSettings) {
    this.#ctx = ctx
    this.#settings = settings
  }

  open(): Promise<StoredRequestSession<Data>> {
    return (this.#session ??= StoredRequestSession.open(this.#ctx, this.#settings))
  }

  /** Saves the session if the handler used it. */
  async save(): Promise<void> {
    // If the session cannot be read, the handler has already received the error.
    const opened = await this.#session?.catch(() => undefined)
    try {
      await opened?.save()
    } catch (error) {
      opened?.close()
      throw error
    }
  }
}

/**
 * Creates middleware that keeps sessions in a store, so that `destroy()` ends a session everywhere. The cookie contains a
 * random ID. The session is read on first use. Changes are saved when the handler has finished, even if it throws.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 *
 * @example
 * const sessions = session<{ user: string }>({ store: memorySessions() })
 * router.use(sessions)
 * router.get('/', async (ctx) => (await sessions.of(ctx)).data.user ?? 'not signed in')
 */
export function session<Data extends object>(options: SessionOptions): Sessions<Data> {
  const api = 'session'
  checkOptions(api, options, SESSION_KINDS, MEANT)
  const { store } = options
  if (store === undefined) {
    const fix = 'Use memorySessions() or redisSessions(client).'
    throw optionError({ api, name: 'store', expected: SESSION_KINDS.store.expected, got: 'undefined', fix })
  }
  const settings = { ...settingsOf(api, options), store, saves: new SaveQueue() }
  const key: ContextKey<LazySession<Data>> = { name: 'the session', hint: 'add router.use(sessions) before this route' }
  const middleware = async (ctx: Context, next: Next): Promise<void> => {
    // A router and one of its groups can use the same middleware.
    if (ctx.get(key) !== null) return next()
    const lazy = new LazySession<Data>(ctx, settings)
    ctx.set(key, lazy)
    try {
      await next()
    } catch (error) {
      await saveAfter(error, lazy)
      throw error
    }
    return lazy.save()
  }
  return Object.assign(middleware, {
    of: async (ctx: Context): Promise<Session<Data>> => ctx.local(key).open(),
  })
}

/** Saves the session after an error from the handler. For example, a handler can call `destroy()` and then throw a 401. */
async function saveAfter(error: unknown, lazy: LazySession<object>): Promise<void> {
  try {
    await lazy.save()
  } catch (failure) {
    const message = 'The session cannot be saved after an error from the handler'
    throw withCode('FW_SESSION_UNSAVED', new SuppressedError(failure, error, message))
  }
}
