import { HttpError } from '@fw/core'
import { setSinks } from '@fw/log'
import { beforeAll, describe, expect, it } from 'vitest'
import { memorySessions, type Session } from '../src/index.ts'
import { Browser } from './browser.ts'
import { type Act, appWith, bound, type Data, idOf, recording } from './stored-app.ts'

beforeAll(() => setSinks([]))

describe('an unknown ID', () => {
  it('is never adopted, because an attacker could know it', async () => {
    const app = appWith({})
    const fixed = Buffer.alloc(32, 7).toString('base64url')
    const victim = new Browser(app)
    victim.cookies.set('__Host-session', fixed)
    await victim.post('/login')
    expect(idOf(victim)).not.toBe(fixed)
    const attacker = new Browser(app)
    attacker.cookies.set('__Host-session', fixed)
    expect(await attacker.json('/')).toEqual({})
    expect(await victim.json('/')).toEqual({ user: 'ada' })
  })

  it.each(['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}=`, `${'A'.repeat(42)}.`, '__proto__'])(
    'does not reach the store if it is malformed: %j',
    async (value) => {
      const { store, calls } = recording()
      const browser = new Browser(appWith({}, { store }))
      browser.cookies.set('__Host-session', value)
      expect(await browser.json('/')).toEqual({})
      expect(calls).toEqual([])
    },
  )

  it('keeps its cookie, because a parallel rotation may have replaced it', async () => {
    const browser = new Browser(appWith({}))
    browser.cookies.set('__Host-session', 'A'.repeat(43))
    expect((await browser.get('/')).headers.getSetCookie()).toEqual([])
  })
})

describe('rotate()', () => {
  it('deletes the old ID, so a login ends a fixed session: CVE-2023-29019', async () => {
    const app = appWith({})
    const attacker = new Browser(app)
    await attacker.post('/visit')
    const victim = attacker.copy()
    await victim.post('/login')
    expect(idOf(victim)).not.toBe(idOf(attacker))
    expect(await victim.json('/')).toEqual({ visits: 1, user: 'ada' })
    expect(await attacker.json('/')).toEqual({})
  })

  it('leaves only one session in the store: fastify/session#348', async () => {
    const { store, calls } = recording()
    const browser = new Browser(appWith({}, { store }))
    await browser.post('/visit')
    await browser.post('/login')
    const created = calls.filter(([name]) => name === 'create').map(([, key]) => String(key))
    expect(created).toHaveLength(2)
    const [old = '', current = ''] = created
    expect(await store.read(old)).toBeUndefined()
    expect(await store.read(current)).toMatchObject({ json: '{"visits":1,"user":"ada"}' })
  })

  it('takes effect during a save, to end a session that an attacker fixed', async () => {
    const app = appWith({
      'login-during-save': async (current) => {
        current.update({ visits: 2 })
        const saving = current.save()
        await Promise.resolve()
        current.rotate()
        current.update({ user: 'ada' })
        await saving
      },
    })
    const attacker = new Browser(app)
    await attacker.post('/visit')
    const victim = attacker.copy()
    const response = await victim.post('/login-during-save')
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(idOf(victim)).not.toBe(idOf(attacker))
    expect(await victim.json('/')).toEqual({ visits: 2, user: 'ada' })
    expect(await attacker.json('/')).toEqual({})
  })

  it('takes effect even if the save in progress is rotating', async () => {
    const { store, calls } = recording()
    const app = appWith(
      {
        twice: async (current) => {
          current.rotate()
          const saving = current.save()
          while (calls.at(-1)?.[0] !== 'delete') await Promise.resolve()
          current.rotate()
          await saving
        },
      },
      { store },
    )
    const browser = new Browser(app)
    await browser.post('/visit')
    await browser.post('/twice')
    expect(calls.filter(([name]) => name === 'create')).toHaveLength(3)
    expect(await browser.json('/')).toEqual({ visits: 1 })
  })

  it('has no effect without a session', async () => {
    const response = await new Browser(appWith({ rotate: (current) => current.rotate() })).post('/rotate')
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
  })

  it('keeps the old session if the store fails', async () => {
    const store = memorySessions()
    const failing = appWith({}, { store: { ...bound(store), delete: () => Promise.reject(new Error('down')) } })
    const browser = new Browser(failing)
    await browser.post('/visit')
    const id = idOf(browser)
    expect((await browser.post('/login')).status).toBe(500)
    expect(idOf(browser)).toBe(id)
    expect(await browser.json('/')).toEqual({ visits: 1 })
  })
})

describe('destroy()', () => {
  it('ends the session in every browser that has a copy', async () => {
    const browser = new Browser(appWith({}))
    await browser.post('/login')
    const thief = browser.copy()
    const [cookie] = (await browser.post('/logout')).headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-session=; Max-Age=0; Path=\/;.* Secure/)
    expect(await thief.json('/')).toEqual({})
  })

  it('takes effect if the handler throws', async () => {
    const app = appWith({
      expel: (current) => {
        current.destroy()
        throw new HttpError(401)
      },
    })
    const browser = new Browser(app)
    await browser.post('/login')
    const thief = browser.copy()
    const response = await browser.post('/expel')
    expect([response.status, browser.cookies.size]).toEqual([401, 0])
    expect(await thief.json('/')).toEqual({})
  })

  it('lets a later update() begin a new session', async () => {
    const app = appWith({
      restart: (current) => {
        current.destroy()
        expect(current.data).toEqual({})
        current.update({ user: 'eve' })
      },
    })
    const browser = new Browser(app)
    await browser.post('/login')
    const old = browser.copy()
    await browser.post('/restart')
    expect(await browser.json('/')).toEqual({ user: 'eve' })
    expect(idOf(browser)).not.toBe(idOf(old))
    expect(await old.json('/')).toEqual({})
  })

  it('ends a session that a save in progress is creating', async () => {
    const { store, calls } = recording()
    const app = appWith(
      {
        both: async (current) => {
          current.update({ user: 'ada' })
          const saving = current.save()
          await Promise.resolve()
          current.destroy()
          await saving
        },
      },
      { store },
    )
    const response = await new Browser(app).post('/both')
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
    const created = calls.find(([name]) => name === 'create')
    expect(await store.read(String(created?.[1]))).toBeUndefined()
  })
})

describe('destroy() during a conflicting save', () => {
  it.each(['changed', 'deleted'])('remains in effect if another request has %s the session', async (other) => {
    const memory = memorySessions()
    const read = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    let isPaused = false
    const store = {
      ...bound(memory),
      read: async (key: string) => {
        const found = await memory.read(key)
        if (!isPaused) return found
        isPaused = false
        read.resolve()
        await resumed.promise
        return found
      },
    }
    const app = appWith(
      {
        both: async (current) => {
          current.update({ user: 'ada' })
          await another.post(other === 'changed' ? '/visit' : '/logout')
          isPaused = true
          const saving = current.save()
          await read.promise
          current.destroy()
          resumed.resolve()
          await saving
          expect(current.data).toEqual({})
        },
      },
      { store },
    )
    const browser = new Browser(app)
    await browser.post('/visit')
    const another = browser.copy()
    const copy = browser.copy()
    const response = await browser.post('/both')
    expect([response.status, browser.cookies.size]).toEqual([200, 0])
    expect(await copy.json('/')).toEqual({})
  })
})

/** Returns a route that pauses before it continues, so that other requests can overtake it. */
function pausing(act: (current: Session<Data>) => void): { act: Act; reached: Promise<void>; resume: () => void } {
  const reached = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    resume: resumed.resolve,
    act: async (current) => {
      act(current)
      reached.resolve()
      await resumed.promise
    },
  }
}

describe('a parallel request', () => {
  it.each(['logout', 'login'])(
    'does not revive a session after %s: GHSA-9j94-67jr-4cqj, nextjs-auth0#2530',
    async (other) => {
      const slow = pausing((current) => current.update({ user: 'revived' }))
      const app = appWith({ slow: slow.act })
      const browser = new Browser(app)
      await browser.post('/login')
      const before = browser.copy()
      const late = before.copy()
      const responding = late.post('/slow')
      await slow.reached
      await browser.post(`/${other}`)
      slow.resume()
      const response = await responding
      expect([response.status, response.headers.getSetCookie()]).toEqual([409, []])
      expect(app.codes).toEqual(['FW_SESSION_CONFLICT'])
      expect(await before.json('/')).toEqual({})
      expect(await browser.json('/')).toEqual(other === 'logout' ? {} : { user: 'ada' })
    },
  )

  it('does not rotate a session after a logout', async () => {
    const slow = pausing((current) => current.rotate())
    const { store, calls } = recording()
    const app = appWith({ slow: slow.act }, { store })
    const browser = new Browser(app)
    await browser.post('/login')
    const responding = browser.copy().post('/slow')
    await slow.reached
    await browser.post('/logout')
    slow.resume()
    const response = await responding
    expect([response.status, response.headers.getSetCookie()]).toEqual([409, []])
    for (const [, key] of calls.filter(([name]) => name === 'create')) {
      expect(await store.read(String(key))).toBeUndefined()
    }
  })

  it('can log out twice', async () => {
    const slow = pausing((current) => current.destroy())
    const browser = new Browser(appWith({ slow: slow.act }))
    await browser.post('/login')
    const responding = browser.copy().post('/slow')
    await slow.reached
    await browser.post('/logout')
    slow.resume()
    expect((await responding).status).toBe(200)
  })

  it('keeps the changes from other requests, because every function receives the current data', async () => {
    const app = appWith({})
    const browser = new Browser(app)
    await browser.post('/visit')
    const responses = await Promise.all(Array.from({ length: 50 }, () => browser.copy().post('/visit')))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await browser.json('/')).toEqual({ visits: 51 })
  })

  it('makes only two calls to the store, even if 100 requests update one session', async () => {
    const { store, calls } = recording()
    const browser = new Browser(appWith({}, { store }))
    await browser.post('/visit')
    calls.length = 0
    const responses = await Promise.all(Array.from({ length: 100 }, () => browser.copy().post('/visit')))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(calls.length).toBeLessThanOrEqual(200)
    expect(await browser.json('/')).toEqual({ visits: 101 })
  })

  it('does not lose changes to requests in other processes', async () => {
    const store = memorySessions()
    const browsers = [appWith({}, { store }), appWith({}, { store }), appWith({}, { store })].map(
      (app) => new Browser(app),
    )
    const [first] = browsers as [Browser, ...Browser[]]
    await first.post('/visit')
    for (const { cookies } of browsers) cookies.set('__Host-session', idOf(first))
    const requests = browsers.flatMap((browser) => Array.from({ length: 20 }, () => browser.copy().post('/visit')))
    expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(await first.json('/')).toEqual({ visits: 61 })
  })

  it('is answered with 409 after 10 conflicts and saves nothing', async () => {
    const memory = memorySessions()
    const { store, calls } = recording({ ...bound(memory), replace: () => Promise.resolve(false) })
    const app = appWith({}, { store })
    const browser = new Browser(app)
    await browser.post('/login')
    expect((await browser.post('/visit')).status).toBe(409)
    expect(app.codes).toEqual(['FW_SESSION_CONFLICT'])
    expect(calls.filter(([name]) => name === 'replace')).toHaveLength(10)
    expect(await browser.json('/')).toEqual({ user: 'ada' })
  })

  it('keeps other properties if it passes an object to update()', async () => {
    const slow = pausing((current) => current.update({ user: 'ada' }))
    const browser = new Browser(appWith({ slow: slow.act }))
    await browser.post('/visit')
    const responding = browser.copy().post('/slow')
    await slow.reached
    await browser.post('/visit')
    slow.resume()
    expect((await responding).status).toBe(200)
    expect(await browser.json('/')).toEqual({ visits: 2, user: 'ada' })
  })

  it('rotates a session that another request has changed', async () => {
    const slow = pausing((current) => current.rotate())
    const browser = new Browser(appWith({ slow: slow.act }))
    await browser.post('/visit')
    const rotating = browser.copy()
    const responding = rotating.post('/slow')
    await slow.reached
    await browser.post('/visit')
    slow.resume()
    await responding
    expect(await rotating.json('/')).toEqual({ visits: 2 })
    expect(await browser.json('/')).toEqual({})
  })

  it('can begin a new session after a conflict', async () => {
    const reached = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    const app = appWith({
      slow: async (current) => {
        current.update({ user: 'old' })
        reached.resolve()
        await resumed.promise
        await expect(current.save()).rejects.toMatchObject({ code: 'FW_SESSION_CONFLICT', status: 409 })
        expect(current.data).toEqual({})
        current.update({ visits: 1 })
      },
    })
    const browser = new Browser(app)
    await browser.post('/login')
    const late = browser.copy()
    const responding = late.post('/slow')
    await reached.promise
    await browser.post('/logout')
    resumed.resolve()
    expect((await responding).status).toBe(200)
    expect(await late.json('/')).toEqual({ visits: 1 })
  })
})
