import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { StandardSchema } from '@fw/types'
import * as z from 'zod'
import { App } from './app.ts'

const USER = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
  required: ['id'],
}
const FULL = { id: 7, name: 'Ada', password: 'secret' }
const SEEN = { id: 7, name: 'Ada' }

describe('a response schema', () => {
  it('omits members that it does not name, however the handler responds', async () => {
    const app = new App()
    app.router
      .get('/returned', { response: { 200: USER } }, () => FULL)
      .get('/later', { response: { 200: USER } }, async () => FULL)
      .get('/method', { response: { 200: USER } }, (ctx) => ctx.json(FULL))
    for (const path of ['/returned', '/later', '/method']) {
      const response = await app.fetch(path)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toEqual(SEEN)
    }
  })

  it('applies to the response status', async () => {
    const app = new App({ checkResponses: 'off' })
    app.router
      .get('/init', { response: { 201: USER } }, (ctx) => ctx.json(FULL, { status: 201 }))
      .get('/before', { response: { 201: USER } }, (ctx) => {
        ctx.status = 201
        return FULL
      })
      .get('/other', { response: { 201: USER } }, () => FULL)
    expect(await (await app.fetch('/init')).json()).toEqual(SEEN)
    expect(await (await app.fetch('/before')).json()).toEqual(SEEN)
    expect(await (await app.fetch('/other')).json()).toEqual(FULL)
  })

  it('does not apply to text and a Response', async () => {
    const app = new App()
    app.router
      .get('/text', { response: { 200: USER } }, () => 'text')
      .get('/response', { response: { 200: USER } }, () => Response.json(FULL))
    expect(await (await app.fetch('/text')).text()).toBe('text')
    expect(await (await app.fetch('/response')).json()).toEqual(FULL)
  })

  it('responds with 500 and reports the error if a required member is missing', async () => {
    const reports: unknown[] = []
    const app = new App({ checkResponses: 'count', onWarning: () => {}, onError: (_, error) => reports.push(error) })
    app.router.get('/', { response: { 200: USER } }, () => ({ name: 'Ada' }))
    expect((await app.fetch('/')).status).toBe(500)
    expect(reports).toMatchObject([{ code: 'FW_INVALID_RETURN', cause: { message: '"id" is required!' } }])
  })

  const libraries: [string, StandardSchema][] = [
    ['zod', z.object({ id: z.int(), name: z.string() })],
    ['arktype', type({ id: 'number', name: 'string' })],
    ['valibot', toStandardJsonSchema(v.object({ id: v.number(), name: v.string() }))],
  ]
  it.each(libraries)('can be a schema of %s with a JSON Schema, alone or for a status', async (_, response) => {
    const app = new App()
    app.router
      .get('/alone', { response }, () => FULL)
      .get('/status', { response: { 201: response, 404: USER } }, (ctx) => ctx.json(FULL, { status: 201 }))
    expect(await (await app.fetch('/alone')).json()).toEqual(SEEN)
    expect(await (await app.fetch('/status')).json()).toEqual(SEEN)
  })

  it('is rejected at registration if it cannot be compiled', () => {
    const { router } = new App()
    const register = (response: never) => (): unknown => router.get('/', { response }, () => '')
    expect(register(v.string() as never)).toThrow(
      'GET /: option "response" must be a schema with a JSON Schema, got a valibot schema without one. ' +
        'Wrap it with toStandardJsonSchema() from @valibot/to-json-schema.',
    )
    expect(register({ 201: { '~standard': { version: 1, vendor: 'own', validate: () => ({}) } } } as never)).toThrow(
      'GET /: option "response.201" must be a schema with a JSON Schema, got a own schema without one. ' +
        "Pass a JSON Schema, such as { type: 'object' }.",
    )
    expect(register({ 200: z.object({ at: z.date() }) } as never)).toThrow(
      'GET /: option "response.200" must be a schema with a JSON Schema, got a zod schema that cannot be converted. ' +
        'Describe the JSON form of the output, for example a date as text; see the cause.',
    )
    expect(register({ ok: USER } as never)).toThrow(
      'must be an object whose keys are statuses from 200 to 599, got the key "ok".',
    )
    expect(register({ 200: 'object' } as never)).toThrow(
      'GET /: option "response.200" must be a JSON Schema or a Standard Schema, got "object".',
    )
    expect(register('object' as never)).toThrow(
      'GET /: option "response" must be an object of schemas by status or a Standard Schema, got "object".',
    )
    expect(register({ 200: { type: 'nope' } } as never)).toThrow(
      'GET /: option "response.200" must be a JSON Schema that fast-json-stringify can compile',
    )
  })
})
