import { describe, expectTypeOf, it } from 'vitest'
import type { Context, Middleware } from '@fw/core'
import { memorySessions, sealedSession, session, type Session, type SessionStore } from '../src/index.ts'
import { redisSessions } from '../src/redis.ts'
import { createClient } from 'redis'

interface Data {
  user: string
  cart: { name: string; tags: string[] }[]
}

describe('Session', () => {
  it('has data that can be absent and cannot be assigned', () => {
    expectTypeOf<Session<Data>['data']['user']>().toEqualTypeOf<string | undefined>()
    type Item = NonNullable<Session<Data>['data']['cart']>
    expectTypeOf<Item>().toEqualTypeOf<readonly { readonly name: string; readonly tags: readonly string[] }[]>()
  })

  it('accepts changes of its own properties', () => {
    const check = (current: Session<Data>): void => {
      current.update({ user: 'ada', cart: undefined })
      current.update(({ cart = [] }) => ({ cart: [...cart, { name: 'a', tags: [] }] }))
      // @ts-expect-error a property of another type
      current.update({ user: 1 })
      // @ts-expect-error a property that does not exist
      current.update({ users: 'ada' })
      // @ts-expect-error an asynchronous function
      current.update(async () => ({ user: 'ada' }))
      // @ts-expect-error `data` is replaced by update()
      current.data.user = 'ada'
    }
    expectTypeOf(check).toBeFunction()
  })
})

describe('Sessions', () => {
  it('is a middleware with the session of each context', () => {
    const create = () => session<Data>({ store: memorySessions() })
    expectTypeOf(create).returns.toExtend<Middleware>()
    expectTypeOf<ReturnType<typeof create>['of']>().toEqualTypeOf<(ctx: Context) => Promise<Session<Data>>>()
    const seal = () => sealedSession<Data>({ secrets: [] })
    expectTypeOf(seal).returns.toEqualTypeOf<ReturnType<typeof create>>()
  })
})

describe('redisSessions()', () => {
  it('accepts a client of the package redis', () => {
    const create = () => redisSessions(createClient())
    expectTypeOf(create).returns.toEqualTypeOf<SessionStore>()
    // @ts-expect-error an address
    const wrong = () => redisSessions('redis://localhost')
    expectTypeOf(wrong).toBeFunction()
  })
})
