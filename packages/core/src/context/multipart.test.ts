import { showValue } from '@fw/options'
import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'

const app = new App()
app.router
  .post('/all', async (ctx) => {
    const parts: unknown[] = []
    for await (const part of ctx.parts()) parts.push([part.name, part.filename, part.contentType, await part.text()])
    return parts
  })
  .post('/sizes', async (ctx) => {
    const sizes: number[] = []
    for await (const part of ctx.parts()) {
      let size = 0
      for await (const chunk of part) size += chunk.byteLength
      sizes.push(size)
    }
    return sizes
  })
  .post('/names', async (ctx) => {
    const names: string[] = []
    for await (const part of ctx.parts()) names.push(part.name)
    return names
  })
  .post('/first', async (ctx) => {
    for await (const part of ctx.parts()) return part.text()
    return ''
  })
  .post('/few', async (ctx) => {
    let count = 0
    for await (const part of ctx.parts({ maxParts: 2 })) count += (await part.text()).length
    return count
  })
  .post('/small', { limits: { maxBodyBytes: 1000 } }, async (ctx) => {
    for await (const part of ctx.parts()) await part.bytes()
  })

const form = (entries: readonly [string, string | Blob, string?][]): FormData => {
  const data = new FormData()
  for (const [name, value, filename] of entries) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, value, filename)
  }
  return data
}
const post = (path: string, body: RequestInit['body'], type?: string): Promise<Response> =>
  app.fetch(path, {
    method: 'POST',
    body: body ?? null,
    ...(type === undefined ? {} : { headers: { 'content-type': type } }),
  })

const TYPE = 'multipart/form-data; boundary=b'
const PART = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n'

describe('ctx.parts()', () => {
  it('returns fields and files in order, with their names, types and content', async () => {
    const file = new Blob(['ü'.repeat(3)], { type: 'text/csv' })
    const response = await post(
      '/all',
      form([
        ['title', 'é'],
        ['file', file, 'a b.csv'],
        ['last', ''],
      ]),
    )
    expect(await response.json()).toEqual([
      ['title', null, 'text/plain', 'é'],
      ['file', 'a b.csv', 'text/csv', 'üüü'],
      ['last', null, 'text/plain', ''],
    ])
  })

  it.each(['/sizes', '/names'])('accepts large files, read slice by slice or unread (%s)', async (path) => {
    const file = new Blob([new Uint8Array(400_000)])
    const response = await post(
      path,
      form([
        ['a', file, 'a'],
        ['b', file, 'b'],
      ]),
    )
    expect(await response.json()).toEqual(path === '/sizes' ? [400_000, 400_000] : ['a', 'b'])
  })

  it('can end before the last part', async () => {
    const body = `${PART}--b\r\ncontent-disposition: form-data; name="b"\r\n\r\n${'y'.repeat(400_000)}\r\n--b--\r\n`
    expect(await (await post('/first', body, TYPE)).text()).toBe('x')
  })

  it.each([
    ['a type that is not multipart', '/all', '{}', 'application/json', 415],
    ['a type without a boundary', '/all', '', 'multipart/form-data; x=1', 400],
    ['a type without a parameter', '/all', '', 'multipart/form-data', 400],
    ['a type with a longer name', '/all', '', 'multipart/form-datas', 415],
    ['a part without a name', '/all', PART.replace('; name="a"', '') + PART + '--b--\r\n', TYPE, 400],
    ['an unread part without a name', '/names', PART.replace('; name="a"', '') + '--b--\r\n', TYPE, 400],
    ['a body that ends inside a part', '/all', PART.slice(0, -2), TYPE, 400],
    ['a body that ends inside an unread part', '/names', PART.slice(0, -2), TYPE, 400],
    ['a body that ends after a part', '/all', `${PART}--b`, TYPE, 400],
    ['an empty body', '/all', '', TYPE, 400],
    ['more than maxParts parts', '/few', `${PART.repeat(3)}--b--\r\n`, TYPE, 413],
    ['a part without a disposition', '/few', `${'--b\r\na: b\r\n\r\nx\r\n'.repeat(3)}--b--\r\n`, TYPE, 400],
    ['a part without fields and content', '/few', `${'--b\r\n'.repeat(5)}--b--\r\n`, TYPE, 400],
    ['exactly maxParts parts', '/few', `${PART.repeat(2)}--b--\r\n`, TYPE, 200],
    ['more than maxBodyBytes bytes', '/small', `${PART.repeat(50)}--b--\r\n`, TYPE, 413],
  ])('responds with $4 to $0', async (_, path, body, type, status) => {
    expect((await post(path, body, type)).status).toBe(status)
  })

  it('accepts names such as __proto__ as plain names', async () => {
    const names = ['__proto__', 'constructor', 'toString']
    const response = await post('/names', form(names.map((name) => [name, ''])))
    expect(await response.json()).toEqual(names)
  })

  it.each([-1, 1.5, NaN, '3'])('rejects %j as maxParts', async (maxParts) => {
    const errors: unknown[] = []
    const failing = new App({ onError: (_, error) => errors.push(error) })
    failing.router.post('/', async (ctx) => {
      for await (const part of ctx.parts({ maxParts: maxParts as number })) await part.text()
    })
    await failing.fetch('/', { method: 'POST', body: `${PART}--b--`, headers: { 'content-type': TYPE } })
    const name = typeof maxParts === 'number' ? 'RangeError' : 'TypeError'
    const text = `ctx.parts: option "maxParts" must be an integer of at least 0, got ${showValue(maxParts)}.`
    expect(errors).toMatchObject([{ name, message: expect.stringContaining(text) }])
  })
})
