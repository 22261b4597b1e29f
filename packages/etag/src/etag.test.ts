import { App } from '@fw/core'
import { describe, expect, it } from 'vitest'
import { etag, type EtagOptions } from './etag.ts'

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Header fields that the handler sets. */
  readonly set?: Readonly<Record<string, string>>
  readonly status?: number
  readonly body?: string | Uint8Array
  readonly options?: EtagOptions
}

async function ask({ method = 'GET', headers = {}, set = {}, status = 200, body = 'hello', options }: Sent = {}) {
  const app = new App()
  app.router.use(etag(options)).all('/', (ctx) => {
    for (const [name, value] of Object.entries(set)) ctx.responseHeaders.set(name, value)
    ctx.status = status
    return typeof body === 'string' ? body : ctx.bytes(body)
  })
  return await app.fetch('/', { method, headers })
}

async function tagOf(sent?: Sent): Promise<string | null> {
  return (await ask(sent)).headers.get('etag')
}

/** The SHA-1 hash of `hello` in base64url. */
const HELLO = '"qvTGHdzF6KLavt4PO0gs2a6pQ00"'
const DATE = 'Wed, 01 Jan 2025 00:00:00 GMT'
const LATER = 'Thu, 02 Jan 2025 00:00:00 GMT'

describe('etag()', () => {
  it.each<[string, Sent, string | null]>([
    ['tags text', {}, HELLO],
    ['tags bytes like the same text', { body: Buffer.from('hello') }, HELLO],
    ['tags a response to HEAD', { method: 'HEAD' }, HELLO],
    ['marks the tag as weak', { options: { weak: true } }, `W/${HELLO}`],
    ['keeps the tag of the handler', { set: { etag: '"v1"' } }, '"v1"'],
    ['does not tag a response to POST', { method: 'POST' }, null],
    ['does not tag an error', { status: 404 }, null],
    ['does not tag a 201', { status: 201 }, null],
    ['tags an empty body', { body: '' }, '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'],
    ['does not tag a response that is not stored', { set: { 'cache-control': 'private, no-store' } }, null],
    ['tags a response that is only revalidated', { set: { 'cache-control': 'no-cache' } }, HELLO],
    ['tags text of maxBytes', { options: { maxBytes: 5 } }, HELLO],
    ['does not tag text longer than maxBytes', { options: { maxBytes: 4 } }, null],
    ['counts bytes, not characters', { body: 'ééé', options: { maxBytes: 5 } }, null],
    ['does not tag bytes longer than maxBytes', { body: Buffer.from('hello'), options: { maxBytes: 4 } }, null],
  ])('%s', async (_, sent, tag) => {
    expect(await tagOf(sent)).toBe(tag)
  })

  it.each<[string, Sent, number]>([
    ['the tag', { headers: { 'if-none-match': HELLO } }, 304],
    ['the weak form of the tag', { headers: { 'if-none-match': `W/${HELLO}` } }, 304],
    ['a list with the tag', { headers: { 'if-none-match': `"a", W/"b", ${HELLO}` } }, 304],
    ['*', { headers: { 'if-none-match': '*' } }, 304],
    ['a different tag', { headers: { 'if-none-match': '"a"' } }, 200],
    ['a part of the tag', { headers: { 'if-none-match': '"qvTGHdzF"' } }, 200],
    ['the tag without quotes', { headers: { 'if-none-match': HELLO.slice(1, -1) } }, 200],
    ['an empty list', { headers: { 'if-none-match': '' } }, 200],
    ['the date', { headers: { 'if-modified-since': DATE }, set: { 'last-modified': DATE } }, 304],
    ['a later date', { headers: { 'if-modified-since': LATER }, set: { 'last-modified': DATE } }, 304],
    ['an earlier date', { headers: { 'if-modified-since': DATE }, set: { 'last-modified': LATER } }, 200],
    ['a date without Last-Modified', { headers: { 'if-modified-since': LATER } }, 200],
    [
      'the date and a different tag',
      { headers: { 'if-none-match': '"a"', 'if-modified-since': DATE }, set: { 'last-modified': DATE } },
      200,
    ],
    ['the required tag', { headers: { 'if-match': HELLO } }, 200],
    ['a different required tag', { headers: { 'if-match': '"a"' } }, 412],
    ['the weak form of the required tag', { headers: { 'if-match': `W/${HELLO}` } }, 412],
    ['the tag for POST', { method: 'POST', headers: { 'if-none-match': HELLO } }, 200],
    ['the tag for an error', { status: 404, headers: { 'if-none-match': HELLO } }, 404],
  ])('responds with $2 to $0', async (_, sent, status) => {
    expect((await ask(sent)).status).toBe(status)
  })

  it('keeps the fields in a 304 that update a cache, but removes those that describe the body', async () => {
    const set = { 'cache-control': 'max-age=60', vary: 'accept', expires: DATE, 'content-language': 'en' }
    const { headers, body } = await ask({ headers: { 'if-none-match': HELLO }, set })
    expect(body).toBeNull()
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: HELLO,
      'cache-control': 'max-age=60',
      vary: 'accept',
      expires: DATE,
    })
    for (const name of ['content-type', 'content-length', 'content-language']) expect(headers.has(name)).toBe(false)
  })

  it("answers with a problem document without the body's caching rules", async () => {
    const set = { 'cache-control': 'max-age=60', expires: DATE, 'content-disposition': 'attachment' }
    const response = await ask({ headers: { 'if-match': '"a"' }, set })
    for (const name of [...Object.keys(set), 'etag']) expect(response.headers.get(name)).toBeNull()
    expect(await response.json()).toEqual({ type: 'about:blank', title: 'Precondition Failed', status: 412 })
  })

  it('keeps a 412 out of caches if the original response is private', async () => {
    const { headers } = await ask({ headers: { 'if-match': '"a"' }, set: { 'cache-control': 'private, max-age=60' } })
    expect(headers.get('cache-control')).toBe('private, max-age=60')
  })

  it('does not tag the response to HEAD if the handler sets no body', async () => {
    expect(await tagOf({ method: 'HEAD', body: '' })).toBeNull()
  })

  it('exempts a route with etag: false', async () => {
    const app = new App()
    app.router.use(etag()).get('/', { etag: false }, () => 'hello')
    expect((await app.fetch('/')).headers.get('etag')).toBeNull()
  })

  it.each<[unknown, string]>([
    [{ weak: 'no' }, 'etag: option "weak" must be true or false, got "no".'],
    [{ maxBytes: -1 }, 'etag: option "maxBytes" must be an integer of at least 0, got -1.'],
    [{ strong: true }, 'etag: unknown option "strong". Known options: weak, maxBytes.'],
  ])('refuses %j', (options, message) => {
    expect(() => etag(options as EtagOptions)).toThrow(message)
  })
})
