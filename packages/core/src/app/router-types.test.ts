import type { Context, Handler, Params, PathParams, GroupRouter, Router } from '@fw/types'
import { expectTypeOf, it } from 'vitest'
import { App } from './app.ts'
import { contextKey } from '../context/context-values.ts'

it('reads the parameters of a handler from the path', () => {
  const { router } = new App()
  router.get('/users/:id/posts/:post?', (ctx) => {
    expectTypeOf(ctx.params.id).toEqualTypeOf<string>()
    expectTypeOf(ctx.params.post).toEqualTypeOf<string | undefined>()
    // @ts-expect-error -- the path has no such parameter
    return ctx.params.nope
  })
  router.post('/files/*path', { limits: { maxBodyBytes: 1 } }, async ({ params }) => {
    expectTypeOf(params.path).toEqualTypeOf<string>()
  })
  router.route('QUERY', '/q/:a', ({ params }) => expectTypeOf(params.a).toEqualTypeOf<string>())
  router.group('/g').put('/plain', ({ params }) => {
    // @ts-expect-error -- a path without parameters has none
    return params.id
  })
})

it('reads those of a handler in a group from the prefixes too', () => {
  const { router } = new App()
  const team = router.group('/teams/:team')
  team.get('/', ({ params }) => {
    expectTypeOf(params.team).toEqualTypeOf<string>()
    // @ts-expect-error -- of another route
    return params.member
  })
  const member = team.group('/members/:member')
  member.post('/notes/:note?', ({ params }) => {
    expectTypeOf(params.team).toEqualTypeOf<string>()
    expectTypeOf(params.member).toEqualTypeOf<string>()
    expectTypeOf(params.note).toEqualTypeOf<string | undefined>()
  })
  member.route('QUERY', '/:page', { limits: {} }, ({ params }) => expectTypeOf(params.page).toEqualTypeOf<string>())
  const prefix: string = '/x'
  router.group(prefix).get('/:id', ({ params }) => {
    expectTypeOf(params.id).toEqualTypeOf<string>()
    expectTypeOf(params['other']).toEqualTypeOf<string | undefined>()
  })
})

const register = (to: Router): Router => to.get('/', () => '')
const registerTeam = (to: GroupRouter<{ readonly team: string }>): unknown => to.get('/', (ctx) => ctx.params.team)

it('a group goes where a router does', () => {
  const { router } = new App()
  register(router)
  register(router.group('/api'))
  register(router.group('/teams/:team').group('/:member'))
  registerTeam(router.group('/teams/:team'))
  // @ts-expect-error -- the prefix has no such parameter
  const withoutTeam = (): unknown => registerTeam(router)
  expectTypeOf(withoutTeam).toBeFunction()
})

it('knows nothing of a path that is not literal', () => {
  const path: string = '/x'
  new App().router.get(path, ({ params }) => {
    expectTypeOf(params).toExtend<Params>()
    expectTypeOf(params['any']).toEqualTypeOf<string | undefined>()
  })
  expectTypeOf<PathParams<'/a/:b'>>().toExtend<{ readonly b: string }>()
})

const handler: Handler = (ctx) => ctx.params['id']
const typed: Handler<{ readonly id: string }> = (ctx) => ctx.params.id

it('takes a handler that was written apart', () => {
  const { router } = new App()
  router.get('/', handler).get('/:id', handler).post('/:id', typed)
  // @ts-expect-error -- the path lacks the parameter
  const withoutParameter = (): unknown => router.post('/', typed)
  expectTypeOf(withoutParameter).toBeFunction()
})

it('refuses wrong registrations', () => {
  const { router } = new App()
  // @ts-expect-error -- no handler
  const withoutHandler = (): unknown => router.get('/')
  // @ts-expect-error -- an option that does not exist
  const withBadOption = (): unknown => router.get('/', { limit: 1 }, () => '')
  // @ts-expect-error -- not installed by anybody
  const withoutRegister = (): unknown => router.staticFiles('/', '.')
  expectTypeOf([withoutHandler, withBadOption, withoutRegister]).toBeArray()
})

it('types values by their token', () => {
  const User = contextKey<{ id: string }>('User')
  const look = (ctx: Context): void => {
    expectTypeOf(ctx.get(User)).toEqualTypeOf<{ id: string } | null>()
    expectTypeOf(ctx.local(User).id).toEqualTypeOf<string>()
    expectTypeOf(ctx.local(Date)).toEqualTypeOf<Date>()
    expectTypeOf(ctx.json()).toEqualTypeOf<Promise<unknown>>()
    expectTypeOf(ctx.json(1)).toEqualTypeOf<void>()
    // @ts-expect-error -- not installed by anybody
    ctx.sse()
  }
  expectTypeOf(look).toBeFunction()
})
