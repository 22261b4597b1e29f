import type { Context, Middleware } from '@fw/core'
import type { createClient } from 'redis'
import { describe, expectTypeOf, it } from 'vitest'
import { sealedSession, session, type Session, type Sessions } from '../src/index.ts'
import type { RedisSessionClient } from '../src/redis.ts'

interface Data {
  user: string
  cart: { name: string; tags: string[] }[]
}

describe('Session', () => {
  it('has data that can be absent and cannot be assigned', () => {
    type SessionOfData = Session<Data>['data']
    expectTypeOf<SessionOfData['user']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<NonNullable<SessionOfData['cart']>>().toEqualTypeOf<
      readonly { readonly name: string; readonly tags: readonly string[] }[]
    >()
  })

  it('accepts only changes to its own properties', () => {
    expectTypeOf(changes).toBeFunction()
  })
})

function changes(current: Session<Data>): void {
  current.update({ user: 'ada', cart: undefined })
  current.update(({ cart = [] }) => ({ cart: [...cart, { name: 'a', tags: [] }] }))
  // @ts-expect-error a property of the wrong type
  current.update({ user: 1 })
  // @ts-expect-error a property that does not exist
  current.update({ users: 'ada' })
  // @ts-expect-error an asynchronous function
  current.update(async () => ({ user: 'ada' }))
  // @ts-expect-error `data` is replaced by update()
  current.data.user = 'ada'
}

describe('Sessions', () => {
  it('is middleware that provides the session of each context', () => {
    expectTypeOf<Sessions<Data>>().toExtend<Middleware>()
    expectTypeOf<Sessions<Data>['of']>().toEqualTypeOf<(ctx: Context) => Promise<Session<Data>>>()
    expectTypeOf(session<Data>).returns.toEqualTypeOf<Sessions<Data>>()
    expectTypeOf(sealedSession<Data>).returns.toEqualTypeOf<Sessions<Data>>()
  })
})

describe('RedisSessionClient', () => {
  it('is implemented by clients from the redis package', () => {
    expectTypeOf<ReturnType<typeof createClient>>().toExtend<RedisSessionClient>()
    expectTypeOf<string>().not.toExtend<RedisSessionClient>()
  })
})
