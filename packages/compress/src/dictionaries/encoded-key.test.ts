import type { SentFile } from '@fw/http-fields'
import type { Context, OutgoingResponse } from '@fw/types'
import { expect, it } from 'vitest'
import { dictionaryOf } from './dictionary.ts'
import { encodedKey } from './encoded-key.ts'

const DICTIONARY = dictionaryOf(Buffer.from('earlier'))

function key(url: string, path: string | undefined, etag = '"1"'): string | undefined {
  const { host: authority, pathname, search } = new URL(url)
  const response = { headers: new Headers({ etag }) }
  const file = path === undefined ? undefined : { path }
  const ctx = { exchange: { authority }, path: pathname, rawQuery: search.slice(1) }
  return encodedKey(
    response as unknown as OutgoingResponse,
    ctx as Context,
    file as SentFile | undefined,
    'dcz',
    DICTIONARY,
  )
}

it('returns one key for a file, whatever its URL', () => {
  const first = key('https://a.test/app.js', '/files/app.js')
  expect(key('https://b.test/other?v=2', '/files/app.js')).toBe(first)
  expect(key('https://a.test/app.js', '/files/other.js')).not.toBe(first)
  expect(key('https://a.test/app.js', '/files/app.js', '"2"')).not.toBe(first)
})

it('returns a key for each URL of a handler', () => {
  const urls = ['https://a.test/', 'https://a.test/?a', 'https://b.test/', 'https://a.test/b']
  expect(new Set(urls.map((url) => key(url, undefined))).size).toBe(4)
})

it('returns no key for a weak tag', () => {
  expect(key('https://a.test/', '/a', 'W/"1"')).toBe(undefined)
})
