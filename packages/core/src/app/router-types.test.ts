import type { Context, Handler, Params, PathParams, GroupRouter, Router } from '@fw/types'
import { expectTypeOf, it } from 'vitest'
import { App } from './app.ts'
import { contextKey } from '../context/context-values.ts'

it("infers a handler's parameters from the path", () => {
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
    // @ts-expect-error -- the path has no parameters
    return params.id
  })
})

it('infers the parameters of a handler in a group from the path and the prefixes', () => {
  const { router } = new App()
  const team = router.group('/teams/:team')
  team.get('/', ({ params }) => {
    expectTypeOf(params.team).toEqualTypeOf<string>()
    // @ts-expect-error -- a parameter of another route
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

it('accepts a group where a router is expected', () => {
  const { router } = new App()
  register(router)
  register(router.group('/api'))
  register(router.group('/teams/:team').group('/:member'))
  registerTeam(router.group('/teams/:team'))
  // @ts-expect-error -- the prefix has no such parameter
  const withoutTeam = (): unknown => registerTeam(router)
  expectTypeOf(withoutTeam).toBeFunction()
})

it('infers no parameters from a path that is not a literal', () => {
  const path: string = '/x'
  new App().router.get(path, ({ params }) => {
    expectTypeOf(params).toExtend<Params>()
    expectTypeOf(params['any']).toEqualTypeOf<string | undefined>()
  })
  expectTypeOf<PathParams<'/a/:b'>>().toExtend<{ readonly b: string }>()
})

const handler: Handler = (ctx) => ctx.params['id']
const typed: Handler<{ readonly id: string }> = (ctx) => ctx.params.id

it('accepts a handler that is declared separately', () => {
  const { router } = new App()
  router.get('/', handler).get('/:id', handler).post('/:id', typed)
  // @ts-expect-error -- the path lacks the parameter
  const withoutParameter = (): unknown => router.post('/', typed)
  expectTypeOf(withoutParameter).toBeFunction()
})

it('rejects invalid registrations', () => {
  const { router } = new App()
  // @ts-expect-error -- the handler is missing
  const withoutHandler = (): unknown => router.get('/')
  // @ts-expect-error -- the option does not exist
  const withBadOption = (): unknown => router.get('/', { limit: 1 }, () => '')
  // @ts-expect-error -- not installed
  const withoutRegister = (): unknown => router.staticFiles('/', '.')
  expectTypeOf([withoutHandler, withBadOption, withoutRegister]).toBeArray()
})

it('infers the type of a value from its token', () => {
  const User = contextKey<{ id: string }>('User')
  const look = (ctx: Context): void => {
    expectTypeOf(ctx.get(User)).toEqualTypeOf<{ id: string } | null>()
    expectTypeOf(ctx.local(User).id).toEqualTypeOf<string>()
    expectTypeOf(ctx.local(Date)).toEqualTypeOf<Date>()
    expectTypeOf(ctx.json()).toEqualTypeOf<Promise<unknown>>()
    expectTypeOf(ctx.json(1)).toEqualTypeOf<void>()
    // @ts-expect-error -- not installed
    ctx.sse()
  }
  expectTypeOf(look).toBeFunction()
})
