import { App } from '@fw/core'
import { describe, expect, it } from 'vitest'
import { checkPreconditions, type ResourceState } from './check-preconditions.ts'

const DATE = new Date('2025-01-01T00:00:00.700Z')
const SAME = 'Wed, 01 Jan 2025 00:00:00 GMT'
const EARLIER = 'Tue, 31 Dec 2024 23:59:59 GMT'

/** Sends a request to a handler that checks `state` before it makes a change. */
async function ask(method: string, headers: Record<string, string>, state: ResourceState) {
  const app = new App()
  let changes = 0
  app.router.onError((error) => String((error as { code?: unknown }).code))
  app.router.all('/', (ctx) => {
    if (!checkPreconditions(ctx, state)) return
    changes++
    ctx.text('done')
  })
  const response = await app.fetch('/', { method, headers })
  return { response, status: response.status, changes, text: await response.text() }
}

describe('checkPreconditions()', () => {
  it.each<[string, string, Record<string, string>, ResourceState, number]>([
    ['no condition', 'PUT', {}, { etag: '"a"' }, 200],
    ['the tag', 'PUT', { 'if-match': '"a"' }, { etag: '"a"' }, 200],
    ['a list with the tag', 'PUT', { 'if-match': '"b", "a"' }, { etag: '"a"' }, 200],
    ['any tag', 'PUT', { 'if-match': '*' }, { etag: '"a"' }, 200],
    ['a different tag', 'PUT', { 'if-match': '"b"' }, { etag: '"a"' }, 412],
    ['a weak tag', 'PUT', { 'if-match': 'W/"a"' }, { etag: 'W/"a"' }, 412],
    ['any tag of a missing resource', 'PUT', { 'if-match': '*' }, { exists: false }, 412],
    ['a new resource', 'PUT', { 'if-none-match': '*' }, { exists: false }, 200],
    ['an existing resource', 'PUT', { 'if-none-match': '*' }, { etag: '"a"' }, 412],
    ['the same second', 'DELETE', { 'if-unmodified-since': SAME }, { lastModified: DATE }, 200],
    ['an earlier second', 'DELETE', { 'if-unmodified-since': EARLIER }, { lastModified: DATE }, 412],
    ['no condition where required', 'PATCH', {}, { etag: '"a"', required: true }, 428],
    ['the tag where required', 'PATCH', { 'if-match': '"a"' }, { etag: '"a"', required: true }, 200],
    ['a date where required', 'PATCH', { 'if-unmodified-since': SAME }, { lastModified: DATE, required: true }, 200],
    ['any tag where required', 'PUT', { 'if-match': ' * ' }, { etag: '"a"', required: true }, 428],
    [
      'an invalid date where required',
      'PUT',
      { 'if-unmodified-since': 'x' },
      { lastModified: DATE, required: true },
      428,
    ],
    [
      'a date where required, without a known date',
      'PUT',
      { 'if-unmodified-since': SAME },
      { etag: '"a"', required: true },
      428,
    ],
    [
      'a different tag to exclude where required',
      'PUT',
      { 'if-none-match': '"b"' },
      { etag: '"a"', required: true },
      428,
    ],
    ['no tag to exclude where required', 'PUT', { 'if-none-match': '' }, { etag: '"a"', required: true }, 428],
    ['a new resource where required', 'PUT', { 'if-none-match': '*' }, { exists: false, required: true }, 200],
    ['an existing resource where required', 'PUT', { 'if-none-match': '*' }, { etag: '"a"', required: true }, 412],
    ['no condition for GET', 'GET', {}, { etag: '"a"', required: true }, 200],
    ['the known tag for GET', 'GET', { 'if-none-match': 'W/"a"' }, { etag: '"a"' }, 304],
    ['the known date for HEAD', 'HEAD', { 'if-modified-since': SAME }, { lastModified: DATE }, 304],
  ])('responds with $4 to $1 with $0: $2, $3', async (_, method, headers, state, status) => {
    const { changes, ...result } = await ask(method, headers, state)
    expect([result.status, changes]).toEqual([status, status === 200 ? 1 : 0])
  })

  it('throws errors with codes', async () => {
    expect((await ask('PUT', { 'if-match': '"b"' }, { etag: '"a"' })).text).toBe('FW_PRECONDITION_FAILED')
    expect((await ask('PUT', {}, { etag: '"a"', required: true })).text).toBe('FW_PRECONDITION_REQUIRED')
  })

  it('sets the fields in the response to GET, but not to PUT', async () => {
    for (const [method, fields] of Object.entries({ GET: ['"a"', SAME], PUT: [null, null] })) {
      const { headers } = (await ask(method, {}, { etag: '"a"', lastModified: DATE })).response
      expect([headers.get('etag'), headers.get('last-modified')]).toEqual(fields)
    }
  })

  it.each<[unknown, string]>([
    [{ etag: 'v7' }, 'option "etag" must be an entity tag in quotes, such as \'"v7"\', got "v7".'],
    [{ etag: '"a"\r\n' }, 'option "etag" must be an entity tag in quotes'],
    [{ lastModified: 5 }, 'option "lastModified" must be a valid Date, got 5.'],
    [{ lastModified: new Date(NaN) }, 'option "lastModified" must be a valid Date'],
    [{ version: 7 }, 'unknown option "version". Known options: etag, lastModified, exists, required.'],
  ])('refuses the state %j', (state, message) => {
    expect(() => checkPreconditions({} as never, state as ResourceState)).toThrow(message)
  })
})
