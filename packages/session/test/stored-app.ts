import { App, type Context } from '@fw/core'
import {
  memorySessions,
  session,
  type Session,
  type SessionOptions,
  type Sessions,
  type SessionStore,
} from '../src/index.ts'
import type { Browser } from './browser.ts'

export interface Data {
  user: string
  visits: number
  cart: { name: string }[]
  when: Date
}

/** Creates a store that records its calls. */
export function recording(store: SessionStore = memorySessions()): {
  store: SessionStore
  calls: [string, ...unknown[]][]
} {
  const calls: [string, ...unknown[]][] = []
  const handler: ProxyHandler<SessionStore> = {
    get: (target, name: keyof SessionStore) => {
      return (...args: unknown[]) => {
        calls.push([name, ...args])
        return (target[name] as (...given: unknown[]) => unknown).apply(target, args)
      }
    },
  }
  return { store: new Proxy(store, handler), calls }
}

export type Act = (session: Session<Data>, ctx: Context) => unknown

/** Creates an application with one route for each function. */
export function appWith(
  routes: Record<string, Act>,
  options: Partial<SessionOptions> = {},
): App & { codes: unknown[] } {
  const app = new App()
  const sessions: Sessions<Data> = session<Data>({ store: memorySessions(), ...options })
  const router = app.router.use(sessions)
  const codes: unknown[] = []
  router.onError((error) => void codes.push((error as { code?: unknown }).code))
  router.get('/', async (ctx) => (await sessions.of(ctx)).data)
  router.get('/unused', () => 'ok')
  const all: Record<string, Act> = {
    login: (current) => {
      current.rotate()
      current.update({ user: 'ada' })
    },
    visit: (current) => current.update(({ visits = 0 }) => ({ visits: visits + 1 })),
    logout: (current) => current.destroy(),
    ...routes,
  }
  for (const [name, act] of Object.entries(all)) {
    router.post(`/${name}`, async (ctx) => (await act(await sessions.of(ctx), ctx)) ?? 'ok')
  }
  return Object.assign(app, { codes })
}

export function idOf(browser: Browser): string {
  return browser.cookies.get('__Host-session') ?? ''
}

/** Binds the methods of a store, so that a test can replace some of them. */
export function bound(store: SessionStore): SessionStore {
  return {
    read: (key) => store.read(key),
    create: (key, stored) => store.create(key, stored),
    replace: (key, version, stored) => store.replace(key, version, stored),
    touch: (key, expiresAtMs) => store.touch(key, expiresAtMs),
    delete: (key, version) => store.delete(key, version),
  }
}
