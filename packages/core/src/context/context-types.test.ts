import type { Context, CookieOptions, MultipartPart, RouteOptions, Validated } from '@fw/types'
import { expectTypeOf, it } from 'vitest'
import { App } from '../app/app.ts'
import { toFetchHandler } from '../adapters/to-fetch-handler.ts'
import { toNodeHandler } from '../adapters/to-node-handler.ts'

// The compiler checks these functions. No test runs them.

const read = (ctx: Context): void => {
  expectTypeOf(ctx.valid).toEqualTypeOf<Validated>()
  expectTypeOf(ctx.query).toEqualTypeOf<URLSearchParams>()
  expectTypeOf(ctx.bytes()).toEqualTypeOf<Promise<Uint8Array>>()
  expectTypeOf(ctx.text()).toEqualTypeOf<Promise<string>>()
  expectTypeOf(ctx.form()).toEqualTypeOf<Promise<URLSearchParams>>()
  expectTypeOf(ctx.stream()).toEqualTypeOf<ReadableStream<Uint8Array>>()
  expectTypeOf(ctx.parts({ maxParts: 1 })).toEqualTypeOf<AsyncIterableIterator<MultipartPart>>()
  expectTypeOf(ctx.accepts('text/html')).toEqualTypeOf<string | null>()
  expectTypeOf(ctx.acceptsLanguage('de')).toEqualTypeOf<string | null>()
  expectTypeOf(ctx.acceptsEncoding('br')).toEqualTypeOf<string | null>()
  expectTypeOf(ctx.cookies.get('a', { secrets: ['s'] })).toEqualTypeOf<string | null>()
  expectTypeOf(ctx.cookies.names()).toEqualTypeOf<readonly string[]>()
  expectTypeOf(ctx.request).toEqualTypeOf<Request>()
  expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>()
}

const respond = (ctx: Context): void => {
  expectTypeOf(ctx.text('x', { status: 201, headers: { a: 'b' } })).toEqualTypeOf<void>()
  expectTypeOf(ctx.html('x')).toEqualTypeOf<void>()
  expectTypeOf(ctx.bytes(new Uint8Array())).toEqualTypeOf<void>()
  expectTypeOf(ctx.stream(['x'])).toEqualTypeOf<void>()
  expectTypeOf(ctx.redirect('/', 308)).toEqualTypeOf<void>()
  expectTypeOf(ctx.empty(204)).toEqualTypeOf<void>()
  // @ts-expect-error -- not a redirect status
  ctx.redirect('/', 200)
  // @ts-expect-error -- not a string
  void ctx.text(1)
  // @ts-expect-error -- parameters are read-only
  ctx.params['id'] = '1'
  // @ts-expect-error -- the parts of a validated request are read-only
  ctx.valid.body = 1
  // @ts-expect-error -- a cookie must be a string
  ctx.cookies.set('a', 1)
  // @ts-expect-error -- not a value of sameSite
  ctx.cookies.set('a', '1', { sameSite: 'lenient' })
  // @ts-expect-error -- one secret must be a list
  ctx.cookies.get('a', { secrets: 's' })
}

// @ts-expect-error -- an application is not a router
const ofApp = (): unknown => toFetchHandler(new App())

it('declares the types of the methods that read a request', () => {
  expectTypeOf(read).toBeFunction()
})

it('declares the types of the methods that respond, and rejects wrong arguments', () => {
  expectTypeOf(respond).toBeFunction()
})

it('declares every option of routes and cookies', () => {
  const options: RouteOptions = { limits: { maxBodyBytes: 1 }, timeoutMs: 1, response: { 200: { type: 'object' } } }
  const cookie: Required<CookieOptions> = {
    maxAgeSeconds: 1,
    expires: new Date(),
    domain: 'x.test',
    path: '/',
    httpOnly: true,
    secure: true,
    sameSite: 'none',
    partitioned: true,
    priority: 'low',
  }
  // @ts-expect-error -- must be a number of milliseconds
  const timeout: RouteOptions = { timeoutMs: '1s' }
  // @ts-expect-error -- keys must be statuses
  const response: RouteOptions = { response: { ok: { type: 'object' } } }
  // @ts-expect-error -- a JSON Schema cannot validate a body
  const body: RouteOptions = { body: { type: 'object' } }
  expectTypeOf([options, cookie, timeout, response, body]).toBeArray()
})

it("accepts an application's router in the adapters", () => {
  const { router } = new App()
  expectTypeOf(toFetchHandler(router)(new Request('http://localhost/'))).toEqualTypeOf<Promise<Response>>()
  expectTypeOf(toNodeHandler(router)).toBeFunction()
  expectTypeOf(ofApp).toBeFunction()
})
